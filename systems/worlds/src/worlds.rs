//! The system as a value: opened on an account, shared by cloning.
//!
//! Owns the state that actions, questions and reactions share. They are methods of [`Worlds`], declared in their own
//! modules.

use std::sync::Arc;

use client::{Account, Environment};
use service::http::EventRing;

use crate::access::AccessCache;
use crate::containers::WorldContainers;
use crate::domain::{EntityTypeCatalog, UtcTimestamp};
use crate::error::{Error, Result};
use crate::settings::WorldsSettings;

/// Events kept for streams that reconnect.
const EVENTS_MAX: usize = 1_000;

/// The world builder on one account. Cloning shares it.
#[derive(Clone)]
pub struct Worlds {
    pub(crate) core: Arc<WorldsCore>,
}

/// The shared state.
pub(crate) struct WorldsCore {
    pub(crate) account: Account,
    pub(crate) containers: WorldContainers,
    pub(crate) settings: WorldsSettings,
    pub(crate) environment: Environment,
    pub(crate) types: EntityTypeCatalog,
    pub(crate) access: AccessCache,
    /// Changes for open streams.
    pub(crate) events: EventRing,
}

impl Worlds {
    /// Opens the system: validates the settings, reads the entity types and creates missing containers.
    ///
    /// # Errors
    /// `Invalid` for wrong settings or a container that differs and cannot be changed; those of the account.
    pub async fn open(
        account: Account,
        settings: WorldsSettings,
        environment: Environment,
    ) -> Result<Self> {
        // Before the account is touched: wrong settings must not create containers.
        settings.check()?;
        let types = load_types(&settings)?;
        // The clients must see the same clock as the system; a test moves both at once.
        let account = account.with_environment(environment.clone());
        let containers = WorldContainers::create(&account, &settings).await?;
        let core = WorldsCore {
            account,
            containers,
            settings,
            types,
            access: AccessCache::default(),
            events: EventRing::new(&environment, EVENTS_MAX),
            environment,
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// The containers, for queries that this system does not offer.
    #[must_use]
    pub fn containers(&self) -> &WorldContainers {
        &self.core.containers
    }

    /// The settings it was opened with.
    #[must_use]
    pub fn settings(&self) -> &WorldsSettings {
        &self.core.settings
    }

    /// The types of entities.
    #[must_use]
    pub fn entity_types(&self) -> &EntityTypeCatalog {
        &self.core.types
    }

    /// The account it was opened on.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.core.account
    }
}

fn load_types(settings: &WorldsSettings) -> Result<EntityTypeCatalog> {
    let wrong = |why: String| Error::invalid_field("Worlds:TypesFile", why);
    let text = match &settings.worlds.types_file {
        Some(file) => Some(std::fs::read_to_string(file).map_err(|e| wrong(e.to_string()))?),
        None => None,
    };
    EntityTypeCatalog::load(text.as_deref()).map_err(wrong)
}

impl WorldsCore {
    pub(crate) fn now(&self) -> UtcTimestamp {
        UtcTimestamp::now(&self.environment)
    }
}

impl std::fmt::Debug for Worlds {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Worlds({:?})", self.core.account)
    }
}
