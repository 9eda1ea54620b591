//! Opens the event store for operator commands, and explains its errors.

use clap::Args;
use client::{Account, StorageLocation};
use event_store::sample::sample_projectors;
use event_store::{
    ErrorKind, EventStoreSettings, EventStoreSystem, ServiceId, StoreProvider, StoreScope,
    Upcasters,
};

use super::configuration::EventStoreCommandSettings;
use crate::account_location::{AccountFlags, MissingStore};
use crate::command::system::SettingsFlags;
use crate::error::CommandError;
use crate::open::StoreFlags;

/// The storage and the settings of an operator command.
#[derive(Debug, Args)]
pub(super) struct EventStoreFlags {
    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// A tenant of an operator command.
#[derive(Debug, Args)]
pub(super) struct ServiceFlag {
    /// The tenant
    #[arg(long = "service", value_name = "ID", default_value = "default")]
    service: String,
}

/// The opened event store.
pub(super) struct OpenEventStore {
    pub(super) system: EventStoreSystem,
    pub(super) account: Account,
}

impl EventStoreFlags {
    /// Opens the event store in an existing account, or in the database that the settings name.
    pub(super) async fn open(&self) -> Result<OpenEventStore, CommandError> {
        let (account, settings) = self.open_account().await?;
        open_on(account, settings).await
    }

    /// Opens the account only.
    pub(super) async fn open_account(&self) -> Result<(Account, EventStoreSettings), CommandError> {
        let settings = self.settings.load::<EventStoreCommandSettings>(&[])?.value.event_store;
        let account = match settings.provider {
            StoreProvider::Account => {
                let location = self.location.location()?;
                location.open(&self.store, MissingStore::Refuse).await?
            }
            StoreProvider::Postgres => empty_account().await?,
        };
        Ok((account, settings))
    }
}

impl ServiceFlag {
    pub(super) fn parse(&self) -> Result<ServiceId, CommandError> {
        parse_service(&self.service)
    }
}

pub(super) fn parse_service(text: &str) -> Result<ServiceId, CommandError> {
    ServiceId::parse(text).map_err(|why| {
        CommandError::new(format!("reading the tenant '{text}'"), why.to_string())
            .hint("Write letters a to z, digits and '-'")
    })
}

/// An account in memory, for a provider that stores elsewhere.
pub(super) async fn empty_account() -> Result<Account, CommandError> {
    let account = Account::embedded(StorageLocation::Memory).await;
    account.map_err(|error| CommandError::from_error("opening an account in memory", &error))
}

/// Opens the event store on an account.
pub(super) async fn open_on(
    account: Account,
    settings: EventStoreSettings,
) -> Result<OpenEventStore, CommandError> {
    let storage = EventStoreSystem::open_storage(&account, &settings).await;
    let storage = storage.map_err(|error| store_error("opening the event store", &error))?;
    let (projectors, upcasters) = (sample_projectors(), Upcasters::default());
    let system = EventStoreSystem::new(storage, settings, projectors, upcasters);
    Ok(OpenEventStore { system, account })
}

impl OpenEventStore {
    pub(super) fn scope(&self, service: &ServiceFlag) -> Result<StoreScope, CommandError> {
        Ok(self.system.scope_of(&service.parse()?))
    }

    /// Closes the account, whether or not the work succeeded.
    pub(super) async fn close<T>(self, done: Result<T, CommandError>) -> Result<T, CommandError> {
        let closed = self.account.close().await;
        let done = done?;
        closed.map_err(|error| CommandError::from_error("closing the account", &error))?;
        Ok(done)
    }
}

/// Converts an error of the event store.
pub(super) fn store_error(what: &str, error: &event_store::Error) -> CommandError {
    let hint = match error.kind() {
        ErrorKind::Invalid | ErrorKind::InvalidTag | ErrorKind::ServiceId => {
            "Correct it and run it again"
        }
        ErrorKind::NotFound => "See what there is with `planisphere event-store status`",
        ErrorKind::Conflict | ErrorKind::AlreadyExists => "Read again and decide again",
        ErrorKind::TooLarge => "Make it smaller",
        ErrorKind::Timeout | ErrorKind::Unavailable => "Try again",
        ErrorKind::Unsupported => "Use another provider or build",
        ErrorKind::Corrupt => "Restore a backup, or look at the named item",
        ErrorKind::Internal => "This is a bug; please report it",
    };
    CommandError::new(what, error.to_string()).hint(hint)
}
