//! The choices of one processor, and their check.
//!
//! Owns the settings and their defaults. Does not own running.

use std::time::Duration;

use model::limits::PAGE_ITEMS_DEFAULT;
use model::{ContainerId, TimestampSeconds};

use super::keyed::KeyedContainer;
use super::lease::Instance;
use super::parked::ParkedStore;
use super::reaction::Reaction;
use super::run::{Inner, Processor};
use super::store::LeaseStore;
use crate::change_feed::ChangeFeedMode;
use crate::{ContainerLink, Engine, Error, ErrorKind, Result};

/// Where a processor without leases starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessorStart {
    /// At the first change.
    Beginning,
    /// At the next change.
    Now,
    /// At the first change of that second or later.
    Time(TimestampSeconds),
}

/// What one instance was told.
#[derive(Clone, Debug)]
pub(crate) struct ProcessorSettings {
    pub(crate) instance: Instance,
    pub(crate) mode: ChangeFeedMode,
    pub(crate) start: ProcessorStart,
    pub(crate) page_items_max: usize,
    pub(crate) lease_expiry: Duration,
    pub(crate) renew_interval: Duration,
    pub(crate) poll_interval: Duration,
    pub(crate) attempts_max: u32,
}

/// Makes a [`Processor`].
#[derive(Clone, Debug)]
pub struct ProcessorBuilder {
    engine: Engine,
    monitored: ContainerLink,
    leases: ContainerLink,
    parked: Option<ContainerLink>,
    name: String,
    settings: ProcessorSettings,
}

impl ProcessorBuilder {
    pub(crate) fn new(
        engine: Engine,
        monitored: ContainerLink,
        leases: ContainerLink,
        name: String,
    ) -> Self {
        let settings = ProcessorSettings {
            instance: Instance::new(format!("{:016x}", engine.environment().random())),
            mode: ChangeFeedMode::LatestVersion,
            start: ProcessorStart::Now,
            page_items_max: PAGE_ITEMS_DEFAULT,
            lease_expiry: Duration::from_secs(60),
            renew_interval: Duration::from_secs(17),
            poll_interval: Duration::from_secs(1),
            attempts_max: 5,
        };
        Self { engine, monitored, leases, parked: None, name, settings }
    }

    /// Name of this instance, different from that of every other; random unless given. An instance started again under
    /// its old name goes on with its leases at once.
    #[must_use]
    pub fn instance(mut self, name: impl Into<String>) -> Self {
        self.settings.instance = Instance::new(name);
        self
    }

    /// Which changes are handled; the newest versions unless given.
    #[must_use]
    pub fn mode(mut self, mode: ChangeFeedMode) -> Self {
        self.settings.mode = mode;
        self
    }

    /// Where to start when there are no leases yet; now unless given.
    #[must_use]
    pub fn start_at(mut self, start: ProcessorStart) -> Self {
        self.settings.start = start;
        self
    }

    /// Changes handed over at once at most. A transaction is never cut, so a page can be longer.
    #[must_use]
    pub fn page_items_max(mut self, items: usize) -> Self {
        self.settings.page_items_max = items;
        self
    }

    /// How long after its last renewal a lease is free for others.
    #[must_use]
    pub fn lease_expiry(mut self, expiry: Duration) -> Self {
        self.settings.lease_expiry = expiry;
        self
    }

    /// How often leases are renewed and shared anew.
    #[must_use]
    pub fn renew_interval(mut self, interval: Duration) -> Self {
        self.settings.renew_interval = interval;
        self
    }

    /// How long to wait when nothing is new; also the first delay after a failure.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.settings.poll_interval = interval;
        self
    }

    /// How often a page is tried before the changes at fault are parked.
    #[must_use]
    pub fn attempts_max(mut self, attempts: u32) -> Self {
        self.settings.attempts_max = attempts;
        self
    }

    /// Where parked changes are written; the lease container unless given.
    #[must_use]
    pub fn parked(mut self, container: ContainerLink) -> Self {
        self.parked = Some(container);
        self
    }

    /// Checks the choices and the containers.
    ///
    /// # Errors
    /// `Invalid` for choices that contradict each other and for a lease container with another partition key than
    /// `/id` or `/partitionKey`, `OwnerNotFound` for a container that does not exist.
    pub async fn build(self, reaction: impl Reaction + 'static) -> Result<Processor> {
        self.check()?;
        let monitored = self.engine.read_container(&self.monitored).await?.value.rid;
        let items = KeyedContainer::open(&self.engine, self.leases.clone()).await?;
        let parked = self.parked.unwrap_or(self.leases);
        let parked = KeyedContainer::open(&self.engine, parked).await?;
        let parked = ParkedStore::new(parked, self.name.clone());
        let store = LeaseStore::new(items, self.name, monitored, self.settings.mode);
        let inner = Inner::new(self.engine, self.monitored, self.settings, store, parked, reaction);
        Ok(Processor::new(inner))
    }

    fn check(&self) -> Result<()> {
        let refuse = |message: &str| Err(Error::new(ErrorKind::Invalid, message));
        let settings = &self.settings;
        // The rules of a container's name leave room for the rest of an item id.
        ContainerId::new(self.name.as_str())?;
        if settings.instance.as_str().is_empty() {
            return refuse("An instance needs a name.");
        }
        let all_versions = settings.mode == ChangeFeedMode::AllVersionsAndDeletes;
        if all_versions && settings.start != ProcessorStart::Now {
            return refuse("A processor of all versions and deletes can only start now.");
        }
        if settings.renew_interval.is_zero() || settings.renew_interval >= settings.lease_expiry {
            return refuse(
                "The renew interval must be positive and shorter than the lease expiry.",
            );
        }
        if settings.poll_interval.is_zero() {
            return refuse("The poll interval must be positive.");
        }
        if settings.attempts_max == 0 || settings.page_items_max == 0 {
            return refuse("At least one attempt and one item per page are needed.");
        }
        Ok(())
    }
}
