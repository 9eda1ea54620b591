//! Opens the notifications system for operator commands, and explains its errors.

use std::sync::Arc;

use clap::Args;
use client::{Account, Clock, SystemClock};
use notifications::delivery::{Delivery, Providers};
use notifications::{ErrorKind, Notifications};

use super::configuration::AllSettings;
use crate::account_location::MissingStore;
use crate::command::system::{OpenedAccount, OperatorFlags};
use crate::error::CommandError;

/// The account and the settings of an operator command.
#[derive(Debug, Args)]
pub(super) struct SystemFlags {
    #[command(flatten)]
    operator: OperatorFlags,
}

/// The opened system.
pub(super) struct OpenSystem {
    pub(super) system: Notifications,
    account: OpenedAccount,
}

impl SystemFlags {
    /// Opens the system in an existing account.
    pub(super) async fn open(&self) -> Result<OpenSystem, CommandError> {
        let settings = self.operator.settings::<AllSettings>()?;
        let account = self.operator.open(MissingStore::Refuse).await?;
        let delivery = providers(&settings)?;
        let system = open_system(account.account.clone(), &settings, delivery).await?;
        Ok(OpenSystem { system, account })
    }
}

impl OpenSystem {
    /// Closes the account, whether or not the work succeeded.
    pub(super) async fn close<T>(self, done: Result<T, CommandError>) -> Result<T, CommandError> {
        self.account.close(done).await
    }
}

/// Opens the system on an account.
pub(super) async fn open_system(
    account: Account,
    settings: &AllSettings,
    delivery: Arc<dyn Delivery>,
) -> Result<Notifications, CommandError> {
    let environment = account.environment().clone();
    let opened =
        Notifications::open(account, settings.notifications.clone(), environment, delivery).await;
    opened.map_err(|error| system_error("opening the notifications", &error))
}

/// Opens the configured providers.
pub(super) fn providers(settings: &AllSettings) -> Result<Arc<dyn Delivery>, CommandError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let opened = Providers::open(&settings.providers(), &clock).map_err(|error| {
        CommandError::new("opening the providers", error.to_string()).hint("Correct the setting")
    })?;
    Ok(Arc::new(opened))
}

/// Converts an error of the system; lists each invalid field.
pub(super) fn system_error(what: &str, error: &notifications::Error) -> CommandError {
    if let Some(data) = error.data_error() {
        return CommandError::from_error(what, data);
    }
    let problems = error.invalid_fields().iter();
    let lines: String =
        problems.map(|problem| format!("\n  {}: {}", problem.field, problem.message)).collect();
    let hint = match error.kind() {
        ErrorKind::Invalid => "Correct it and run it again",
        ErrorKind::NotFound => "Look it up with `planisphere notifications tail --all --once`",
        ErrorKind::Conflict => "Look at its status with `planisphere notifications tail`",
        ErrorKind::Unavailable => "Try again",
        ErrorKind::Internal => "This is a bug; please report it",
    };
    CommandError::new(what, error.message()).hint(hint).detail(lines)
}
