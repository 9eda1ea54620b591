//! The processor handle: run it once, or start and stop it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, OnceLock, PoisonError};

use engine::Environment;
use serde::de::DeserializeOwned;
use tokio::sync::{Mutex, Notify};

use crate::error::{Error, Result};
use crate::resource::Container;

use super::builder::{ProcessorBuilder, ProcessorOptions};
use super::lease::{HeldLease, LeasePlan, LeaseStore, WatchedLease};
use super::reaction::Reaction;
use super::round::Round;

/// One instance of a processor. It shares the changes of a container with the other instances of the same name. It
/// handles its leases one after the other; several instances run concurrently.
pub struct Processor<T> {
    inner: Arc<ProcessorInner<T>>,
}

pub(super) struct ProcessorInner<T> {
    pub(super) monitored: Container,
    pub(super) store: LeaseStore,
    pub(super) options: ProcessorOptions,
    pub(super) reaction: Box<dyn Reaction<T>>,
    watched: StdMutex<BTreeMap<usize, WatchedLease>>,
    /// The leases of this instance as it has last written them.
    held: StdMutex<BTreeMap<usize, HeldLease>>,
    /// Read once: a plan never changes.
    plan: OnceLock<LeasePlan>,
    /// One round at a time.
    round_lock: Mutex<()>,
    started: AtomicBool,
    stopping: AtomicBool,
    stopped: Notify,
    last_error: StdMutex<Option<String>>,
}

impl<T> Processor<T> {
    /// Builds an instance that handles the changes of `monitored` and stores leases in `leases`, a container with the
    /// partition key `/id`. Instances of the same name share the changes.
    #[must_use]
    pub fn builder(monitored: &Container, leases: &Container, name: &str) -> ProcessorBuilder {
        ProcessorBuilder::new(monitored, leases, name)
    }

    pub(super) fn new(
        monitored: Container,
        store: LeaseStore,
        options: ProcessorOptions,
        reaction: impl Reaction<T> + 'static,
    ) -> Self {
        let inner = ProcessorInner {
            monitored,
            store,
            options,
            reaction: Box::new(reaction),
            watched: StdMutex::default(),
            held: StdMutex::default(),
            plan: OnceLock::new(),
            round_lock: Mutex::default(),
            started: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            stopped: Notify::new(),
            last_error: StdMutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The last error in a round of a started processor.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.inner.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> Processor<T> {
    /// Takes its share of the leases and handles all new changes in them.
    ///
    /// # Errors
    /// Those of the calls on the two containers. What was handled before is not handled again.
    pub async fn run_once(&self) -> Result<Round> {
        let _guard = self.inner.round_lock.lock().await;
        self.inner.round().await
    }

    /// Runs in the background until it is stopped or dropped. Failed rounds are repeated.
    ///
    /// # Errors
    /// `BadRequest` when it is started already.
    pub fn start(&self) -> Result<()> {
        if self.inner.started.swap(true, Ordering::SeqCst) {
            return Err(Error::bad_request("the processor is started already"));
        }
        self.inner.stopping.store(false, Ordering::SeqCst);
        // The task must not keep the processor alive that its owner has dropped.
        let inner = Arc::downgrade(&self.inner);
        self.inner.environment().clone().spawn(async move {
            // A dropped processor ends like a crashed one: its leases are not released, they expire.
            while let Some(inner) = inner.upgrade() {
                if inner.is_stopping() {
                    break;
                }
                inner.run_round().await;
                let (environment, wait) =
                    (inner.environment().clone(), inner.options.poll_interval);
                // Released before the wait, so that a drop during it takes effect at once.
                drop(inner);
                environment.sleep(wait).await;
            }
            if let Some(inner) = inner.upgrade() {
                inner.started.store(false, Ordering::SeqCst);
                inner.stopped.notify_waiters();
            }
        });
        Ok(())
    }

    /// Waits for the current page, then releases the leases for other instances.
    ///
    /// # Errors
    /// Those of writing the leases; they then expire instead.
    pub async fn stop(&self) -> Result<()> {
        self.inner.stopping.store(true, Ordering::SeqCst);
        loop {
            // Registered before the flag is read: a notification in between would be lost otherwise.
            let stopped = self.inner.stopped.notified();
            if !self.inner.started.load(Ordering::SeqCst) {
                break;
            }
            stopped.await;
        }
        let _guard = self.inner.round_lock.lock().await;
        // After the last round, under its lock: a round that is still running would take the leases back.
        self.inner.release().await
    }
}

impl<T: DeserializeOwned + Send + Sync> ProcessorInner<T> {
    async fn run_round(&self) {
        let _guard = self.round_lock.lock().await;
        if let Err(error) = self.round().await {
            tracing::warn!(processor = self.store.name(), error = %error, "a round failed");
            let mut last = self.last_error.lock().unwrap_or_else(PoisonError::into_inner);
            *last = Some(error.to_string());
        }
    }

    async fn release(&self) -> Result<()> {
        let plan = self.plan().await?;
        for mut lease in self.store.leases(plan).await? {
            if lease.value.owner.as_deref() == Some(self.options.instance.as_str()) {
                // The position of a page that needed no checkpoint is only in memory.
                if let Some(held) = self.lock_held().remove(&lease.value.number)
                    && held.item.etag() == lease.etag()
                {
                    lease = held.item;
                }
                lease.value.owner = None;
                self.store.write(&lease).await?;
            }
        }
        Ok(())
    }
}

impl<T> ProcessorInner<T> {
    pub(super) async fn plan(&self) -> Result<&LeasePlan> {
        if let Some(plan) = self.plan.get() {
            return Ok(plan);
        }
        let plan = self.store.plan(&self.monitored, self.options.start).await?;
        Ok(self.plan.get_or_init(|| plan))
    }

    pub(super) fn environment(&self) -> &Environment {
        self.monitored.account().environment()
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    pub(super) fn lock_held(&self) -> MutexGuard<'_, BTreeMap<usize, HeldLease>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lock_watched(&self) -> MutexGuard<'_, BTreeMap<usize, WatchedLease>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for Processor<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Processor({}, {})", self.inner.store.name(), self.inner.options.instance)
    }
}
