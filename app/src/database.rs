//! Stores in a PostgreSQL database: how commands open one, and what they print of its URL.
//!
//! Owns the translation of flags and errors. Whether a database holds a store is decided by `storage-postgres`.

use engine::{Engine, EngineSettings};

use crate::error::CommandError;
use crate::open::{MissingStore, StoreFlags};

#[cfg(feature = "postgres")]
pub(crate) use with_postgres::{DatabaseSession, StoreRole, open_or_follow, parse};

impl StoreFlags {
    /// Opens the engine on a database.
    #[cfg(feature = "postgres")]
    pub(crate) async fn open_database(
        &self,
        url: &str,
        account: EngineSettings,
        missing: MissingStore,
    ) -> Result<Engine, CommandError> {
        let location = parse(url)?;
        let settings = with_postgres::settings(self, missing);
        let (_, engine) = with_postgres::open(&location, settings, account).await?;
        Ok(engine)
    }

    #[cfg(not(feature = "postgres"))]
    pub(crate) async fn open_database(
        &self,
        url: &str,
        _account: EngineSettings,
        _missing: MissingStore,
    ) -> Result<Engine, CommandError> {
        let reason = "this binary was built without the feature 'postgres'";
        Err(CommandError::new(format!("opening {}", shown_url(url)), reason)
            .hint("Give a folder, or build with: cargo run --release --features postgres"))
    }
}

/// A URL for people, without its user and password.
#[cfg(feature = "postgres")]
pub(crate) fn shown_url(url: &str) -> String {
    storage_postgres::PostgresLocation::parse(url)
        .map_or_else(|_| "postgres://...".to_owned(), |location| location.to_string())
}

#[cfg(not(feature = "postgres"))]
pub(crate) fn shown_url(_url: &str) -> String {
    "postgres://...".to_owned()
}

#[cfg(feature = "postgres")]
mod with_postgres {
    use std::sync::Arc;

    use engine::{Engine, EngineSettings, Environment};
    use storage_postgres::{
        PostgresDurability, PostgresLocation, PostgresSettings, PostgresStore, StoreOwner,
    };

    use crate::error::CommandError;
    use crate::open::{MissingStore, StoreFlags, with_scripts};

    /// What a process does on a shared store.
    pub(crate) enum StoreRole {
        /// It has the lease, and serves from its own engine.
        Owner(DatabaseSession),
        /// Another process has the lease; requests are forwarded to it.
        Follower(StoreOwner),
    }

    /// An opened store with its engine.
    pub(crate) struct DatabaseSession {
        pub(crate) store: Arc<PostgresStore>,
        pub(crate) engine: Engine,
    }

    pub(crate) fn parse(url: &str) -> Result<PostgresLocation, CommandError> {
        PostgresLocation::parse(url)
            .map_err(|error| CommandError::from_error("reading the address of the store", &error))
    }

    pub(crate) fn settings(flags: &StoreFlags, missing: MissingStore) -> PostgresSettings {
        let durability = match flags.relaxed {
            true => PostgresDurability::Relaxed,
            false => PostgresDurability::Synced,
        };
        let creates = missing == MissingStore::Create;
        PostgresSettings { durability, creates, ..PostgresSettings::default() }
    }

    pub(crate) async fn open(
        location: &PostgresLocation,
        settings: PostgresSettings,
        account: EngineSettings,
    ) -> Result<(Arc<PostgresStore>, Engine), CommandError> {
        let what = || format!("cannot open the store at {location}");
        let store = PostgresStore::open(location, settings).await;
        let store = store.map_err(|error| CommandError::from_error(what(), &error))?;
        let opened = Engine::open(
            Arc::<PostgresStore>::clone(&store),
            with_scripts(Environment::system()),
            account,
        );
        let engine = opened.await.map_err(|error| CommandError::from_error(what(), &error))?;
        Ok((store, engine))
    }

    /// Takes the lease and opens the engine, or says who has it.
    pub(crate) async fn open_or_follow(
        location: &PostgresLocation,
        flags: &StoreFlags,
        address: String,
        account: EngineSettings,
    ) -> Result<StoreRole, CommandError> {
        let asked = PostgresStore::owner(location).await;
        let what = || format!("cannot open the store at {location}");
        if let Some(owner) = asked.map_err(|error| CommandError::from_error(what(), &error))? {
            return Ok(StoreRole::Follower(owner));
        }
        let settings = PostgresSettings { address, ..settings(flags, MissingStore::Create) };
        match open(location, settings, account).await {
            Ok((store, engine)) => Ok(StoreRole::Owner(DatabaseSession { store, engine })),
            // Another process may have been faster.
            Err(error) => match PostgresStore::owner(location).await {
                Ok(Some(owner)) => Ok(StoreRole::Follower(owner)),
                _ => Err(error),
            },
        }
    }
}
