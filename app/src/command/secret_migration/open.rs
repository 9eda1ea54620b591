//! Opens the tracker for operator commands, and explains its errors.

use std::sync::Arc;

use clap::Args;
use client::{Account, Environment};
use secret_migration::{
    ClusterName, ErrorKind, HookRollout, Platforms, SecretMigration, VaultClient, open_target,
};

use super::configuration::TrackerSettings;
use crate::account_location::MissingStore;
use crate::command::system::{OpenedAccount, OperatorFlags};
use crate::error::CommandError;

/// The account and the settings of an operator command.
#[derive(Debug, Args)]
pub(super) struct TrackerFlags {
    #[command(flatten)]
    operator: OperatorFlags,
}

/// The opened tracker.
pub(super) struct OpenTracker {
    pub(super) system: SecretMigration,
    pub(super) settings: TrackerSettings,
    account: OpenedAccount,
}

impl TrackerFlags {
    /// Opens the tracker in an existing account.
    pub(super) async fn open(&self) -> Result<OpenTracker, CommandError> {
        self.open_or(MissingStore::Refuse).await
    }

    /// The same; `missing` says what to do without a store.
    pub(super) async fn open_or(&self, missing: MissingStore) -> Result<OpenTracker, CommandError> {
        let settings = self.operator.settings::<TrackerSettings>()?;
        let account = self.operator.open(missing).await?;
        let platforms = platforms(&settings, account.account.environment())?;
        let system = open_tracker(account.account.clone(), &settings, platforms).await?;
        Ok(OpenTracker { system, settings, account })
    }
}

impl OpenTracker {
    /// Closes the account, whether or not the work succeeded.
    pub(super) async fn close<T>(self, done: Result<T, CommandError>) -> Result<T, CommandError> {
        self.account.close(done).await
    }
}

/// Opens the tracker on an account.
pub(super) async fn open_tracker(
    account: Account,
    settings: &TrackerSettings,
    platforms: Platforms,
) -> Result<SecretMigration, CommandError> {
    let failed = |error| tracker_error("opening the tracker", &error);
    let environment = account.environment().clone();
    let opened =
        SecretMigration::open(account, settings.migration.clone(), environment, platforms).await;
    let opened = opened.map_err(failed)?;
    opened.send_hooks(settings.hooks.clone()).map_err(failed)?;
    Ok(opened)
}

/// The platforms of the settings.
pub(super) fn platforms(
    settings: &TrackerSettings,
    environment: &Environment,
) -> Result<Platforms, CommandError> {
    let failed = |error| tracker_error("opening the platforms", &error);
    let source = VaultClient::open(settings.vault.clone(), environment.clone()).map_err(failed)?;
    let target = open_target(&settings.smp, environment.clone()).map_err(failed)?;
    let rollout = HookRollout::new(settings.rollout.clone(), reqwest::Client::new());
    Ok(Platforms { source: Arc::new(source), target, rollout: Arc::new(rollout) })
}

/// The name of a cluster, for flags.
pub(super) fn cluster_name(text: &str) -> Result<ClusterName, String> {
    ClusterName::parse(text)
}

/// Converts an error of the tracker.
pub(super) fn tracker_error(what: &str, error: &secret_migration::Error) -> CommandError {
    if let Some(data) = error.data_error() {
        return CommandError::from_error(what, data);
    }
    let hint = match error.kind() {
        ErrorKind::Invalid => "Correct it and run it again",
        ErrorKind::NotFound => "List what there is with `planisphere secret-migration status`",
        ErrorKind::Conflict => "Look at its status; only some moves are allowed",
        ErrorKind::Changed => "Somebody else was faster; look at it and run it again",
        ErrorKind::MappingMissing => "Synchronise the namespaces: scan manifests that have them",
        ErrorKind::ApprovalMissing => "Let somebody else approve the wave",
        ErrorKind::Unavailable => "Try again",
        ErrorKind::BadAnswer => "Check the address and the version of the platform",
        ErrorKind::Internal => "This is a bug; please report it",
    };
    CommandError::new(what, error.to_string()).hint(hint)
}
