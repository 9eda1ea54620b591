//! Opens the world builder for operator commands, and explains its errors.

use clap::Args;
use client::Account;
use worlds::{ErrorKind, WorldUser, Worlds, WorldsSettings};

use super::configuration::WorldsCommandSettings;
use crate::account_location::MissingStore;
use crate::command::system::{OpenedAccount, OperatorFlags};
use crate::error::CommandError;

/// The account and the settings of an operator command.
#[derive(Debug, Args)]
pub(super) struct WorldsFlags {
    #[command(flatten)]
    operator: OperatorFlags,
}

/// The opened system.
pub(super) struct OpenWorlds {
    pub(super) system: Worlds,
    account: OpenedAccount,
}

impl WorldsFlags {
    /// Opens the system in an existing account.
    pub(super) async fn open(&self) -> Result<OpenWorlds, CommandError> {
        self.open_or(MissingStore::Refuse).await
    }

    /// The same; creates a missing account.
    pub(super) async fn create(&self) -> Result<OpenWorlds, CommandError> {
        self.open_or(MissingStore::Create).await
    }

    async fn open_or(&self, missing: MissingStore) -> Result<OpenWorlds, CommandError> {
        let settings = self.operator.settings::<WorldsCommandSettings>()?.system;
        let account = self.operator.open(missing).await?;
        let system = open_worlds(account.account.clone(), settings).await?;
        Ok(OpenWorlds { system, account })
    }
}

impl OpenWorlds {
    /// Closes the account, whether or not the work succeeded.
    pub(super) async fn close<T>(self, done: Result<T, CommandError>) -> Result<T, CommandError> {
        self.account.close(done).await
    }
}

/// Opens the system on an account.
pub(super) async fn open_worlds(
    account: Account,
    settings: WorldsSettings,
) -> Result<Worlds, CommandError> {
    let environment = account.environment().clone();
    let opened = Worlds::open(account, settings, environment).await;
    opened.map_err(|error| worlds_error("opening the world builder", &error))
}

/// Parses the id of a user.
pub(super) fn parse_user(text: &str) -> Result<WorldUser, String> {
    WorldUser::parse(text)
}

/// Converts an error of the system; lists each wrong field.
pub(super) fn worlds_error(what: &str, error: &worlds::Error) -> CommandError {
    let lines: String =
        error.mistakes().iter().map(|one| format!("\n  {}: {}", one.field, one.message)).collect();
    let hint = match error.kind() {
        ErrorKind::Invalid | ErrorKind::InvalidParent => "Correct it and run it again",
        ErrorKind::NotFound => "Check the id and the user",
        ErrorKind::EntityLimit => "Delete entities, or split the world",
        ErrorKind::HasChildren
        | ErrorKind::Cycle
        | ErrorKind::ParentDeleted
        | ErrorKind::Conflict
        | ErrorKind::Changed => "Look at its state and decide again",
        ErrorKind::Busy | ErrorKind::Unavailable => "Try again",
        ErrorKind::Internal => "This is a bug; please report it",
    };
    CommandError::new(what, error.message().trim_end_matches('.')).hint(hint).detail(lines)
}
