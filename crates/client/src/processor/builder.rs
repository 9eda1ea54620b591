//! The options of a processor, and their validation.

use std::time::Duration;

use model::TimestampSeconds;

use crate::error::{Error, Result};
use crate::resource::Container;

use super::lease::LeaseStore;
use super::reaction::Reaction;
use super::run::Processor;

/// Where a processor starts if it has no leases yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessorStart {
    /// At the first change.
    Beginning,
    /// At the next change. Earlier changes of the same second may be delivered, too.
    Now,
    /// At the first change of that second or later.
    Time(TimestampSeconds),
}

/// The options of one instance.
#[derive(Clone, Debug)]
pub(super) struct ProcessorOptions {
    pub(super) instance: String,
    pub(super) start: ProcessorStart,
    pub(super) page_items_max: usize,
    pub(super) lease_expiry: Duration,
    pub(super) poll_interval: Duration,
    pub(super) attempts_max: u32,
}

/// Builds a [`Processor`]. It handles latest versions; to handle deletes, mark items as deleted instead of deleting
/// them.
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
            // 64 random bits: two instances with one name would believe that they own each other's leases.
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

    /// Name of this instance, unique among all instances; random by default. An instance that restarts with its old
    /// name continues with its leases immediately.
    #[must_use]
    pub fn instance(mut self, name: impl Into<String>) -> Self {
        self.options.instance = name.into();
        self
    }

    /// Where to start if there are no leases yet; now by default.
    #[must_use]
    pub fn start_at(mut self, start: ProcessorStart) -> Self {
        self.options.start = start;
        self
    }

    /// Approximate number of changes per delivery.
    #[must_use]
    pub fn page_items_max(mut self, items: usize) -> Self {
        self.options.page_items_max = items;
        self
    }

    /// How long after its last renewal other instances may take a lease.
    #[must_use]
    pub fn lease_expiry(mut self, expiry: Duration) -> Self {
        self.options.lease_expiry = expiry;
        self
    }

    /// How long to wait when there are no new changes.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.options.poll_interval = interval;
        self
    }

    /// How often a page is attempted before the failing changes are parked.
    #[must_use]
    pub fn attempts_max(mut self, attempts: u32) -> Self {
        self.options.attempts_max = attempts;
        self
    }

    /// Validates the options and the lease container.
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
        // A lease is renewed once per round, so one missed round must not cost it.
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
