//! Opens an account for an operator command, and closes it.
//!
//! Owns the flags that every operator command of every system has. Does not own what is opened on the account.

use clap::Args;
use client::Account;
use service::settings::SettingsSection;

use super::settings_flags::SettingsFlags;
use crate::account_location::{AccountFlags, AccountLocation, MissingStore};
use crate::error::CommandError;
use crate::open::StoreFlags;

/// The account and the settings of an operator command.
#[derive(Debug, Args)]
pub(crate) struct OperatorFlags {
    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// The opened account.
pub(crate) struct OpenedAccount {
    pub(crate) account: Account,
    location: AccountLocation,
}

impl OperatorFlags {
    /// Loads the settings.
    pub(crate) fn settings<T: SettingsSection>(&self) -> Result<T, CommandError> {
        Ok(self.settings.load::<T>(&[])?.value)
    }

    /// Opens the account; `missing` says what to do without a store.
    pub(crate) async fn open(&self, missing: MissingStore) -> Result<OpenedAccount, CommandError> {
        let location = self.location.location()?;
        let account = location.open(&self.store, missing).await?;
        Ok(OpenedAccount { account, location })
    }
}

impl OpenedAccount {
    /// Closes the account, whether or not the work succeeded.
    pub(crate) async fn close<T>(self, done: Result<T, CommandError>) -> Result<T, CommandError> {
        let closed = self.account.close().await;
        let done = done?;
        closed.map_err(|error| {
            CommandError::from_error(format!("closing {}", self.location), &error)
        })?;
        Ok(done)
    }
}
