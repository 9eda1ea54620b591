//! The options of one processor, and their check.

use std::time::Duration;

use model::TimestampSeconds;

use crate::error::{Error, Result};
use crate::resource::Container;

use super::lease::LeaseStore;
use super::reaction::Reaction;
use super::run::Processor;

/// Where a processor without leases starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessorStart {
    /// At the first change.
    Beginning,
    /// At the next change; changes of the same second before it may come too.
    Now,
    /// At the first change of that second or later.
    Time(TimestampSeconds),
}

/// What one instance was told.
#[derive(Clone, Debug)]
pub(super) struct ProcessorOptions {
    pub(super) instance: String,
    pub(super) start: ProcessorStart,
    pub(super) page_items_max: usize,
    pub(super) lease_expiry: Duration,
    pub(super) poll_interval: Duration,
    pub(super) attempts_max: u32,
}

/// Makes a [`Processor`]. It handles newest versions; deletions need items that say they are deleted.
#[derive(Clone, Debug)]
pub struct ProcessorBuilder {
    monitored: Container,
    leases: Container,
    name: String,
    options: ProcessorOptions,
}

impl ProcessorBuilder {
    pub(super) fn new(monitored: &Container, leases: &Container, name: &str) -> Self {
        let random = monitored.account().environment().random();
        let options = ProcessorOptions {
            instance: format!("{random:016x}"),
            start: ProcessorStart::Now,
            page_items_max: 100,
            lease_expiry: Duration::from_secs(60),
            poll_interval: Duration::from_secs(1),
            attempts_max: 5,
        };
        let (monitored, leases) = (monitored.clone(), leases.clone());
        Self { monitored, leases, name: name.to_owned(), options }
    }

    /// Name of this instance, different from that of every other; random unless given. An instance started again under
    /// its old name goes on with its leases at once.
    #[must_use]
    pub fn instance(mut self, name: impl Into<String>) -> Self {
        self.options.instance = name.into();
        self
    }

    /// Where to start when there are no leases yet; now unless given.
    #[must_use]
    pub fn start_at(mut self, start: ProcessorStart) -> Self {
        self.options.start = start;
        self
    }

    /// Changes handed over at once, about.
    #[must_use]
    pub fn page_items_max(mut self, items: usize) -> Self {
        self.options.page_items_max = items;
        self
    }

    /// How long after its last sign of life a lease is free for others.
    #[must_use]
    pub fn lease_expiry(mut self, expiry: Duration) -> Self {
        self.options.lease_expiry = expiry;
        self
    }

    /// How long to wait when nothing is new.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.options.poll_interval = interval;
        self
    }

    /// How often a page is tried before the changes at fault are parked.
    #[must_use]
    pub fn attempts_max(mut self, attempts: u32) -> Self {
        self.options.attempts_max = attempts;
        self
    }

    /// Checks the options and the lease container.
    ///
    /// # Errors
    /// `BadRequest` for options that contradict each other and for a lease container with another partition key than
    /// `/id`, `NotFound` for a missing one.
    pub async fn build<T, R>(self, reaction: R) -> Result<Processor<T>>
    where
        R: Reaction<T> + 'static,
    {
        let options = &self.options;
        let nothing = options.page_items_max == 0 || options.attempts_max == 0;
        if nothing || options.instance.is_empty() || self.name.is_empty() {
            return Err(Error::bad_request(
                "a processor needs a name, an instance, a page of at least one change and one attempt",
            ));
        }
        if options.lease_expiry < options.poll_interval * 2 {
            return Err(Error::bad_request(format!(
                "leases expire after {:?}, but are renewed every {:?}; let them live twice as long at least",
                options.lease_expiry, options.poll_interval
            )));
        }
        let store = LeaseStore::open(self.leases, self.name).await?;
        Ok(Processor::new(self.monitored, store, self.options, reaction))
    }
}
