//! The processor as a value: started, stopped, dropped.
//!
//! Owns what all parts share: the stores and the set of leases held. A dropped processor ends its tasks where they wait
//! and releases nothing, like a crashed process.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{EpkRange, TimestampMs};
use tokio::sync::{Mutex, Notify, mpsc, watch};

use super::builder::{ProcessorBuilder, ProcessorSettings};
use super::checkpoint::{Halt, Held};
use super::lease::Lease;
use super::parked::ParkedStore;
use super::reaction::Reaction;
use super::store::LeaseStore;
use super::task::{Phase, Task};
use crate::{ContainerLink, Engine, Environment, Error, ErrorKind, Result};

/// One instance of a processor: handles the changes of a container together with the other instances of its name.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use planisphere_engine::change_feed::Change;
/// use planisphere_engine::change_feed::processor::{Context, Reaction, ReactionError, Processor};
/// use planisphere_engine::operation::{CreateContainer, CreateDatabase};
/// use planisphere_engine::{ContainerLink, Engine};
/// use model::{ContainerProperties, DatabaseProperties, PartitionKeyDefinition};
///
/// struct Count;
///
/// #[async_trait::async_trait]
/// impl Reaction for Count {
///     async fn react(&self, changes: &[Change], _: &Context) -> Result<(), ReactionError> {
///         assert!(!changes.is_empty());
///         Ok(())
///     }
/// }
///
/// let engine = Engine::in_memory().await?;
/// let orders = ContainerLink::new("shop", "orders")?;
/// let leases = ContainerLink::new("shop", "leases")?;
/// let properties = DatabaseProperties { id: orders.database.clone() };
/// engine.create_database(CreateDatabase { properties, throughput: None }).await?;
/// for (link, path) in [(&orders, "/customer"), (&leases, "/id")] {
///     let partition_key = PartitionKeyDefinition::single(path)?;
///     let properties = ContainerProperties::new(link.container.clone(), partition_key);
///     let database = link.database.clone();
///     engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
/// }
/// let processor =
///     Processor::builder(&engine, orders, leases, "mail").instance("one").build(Count).await?;
/// processor.start()?;
/// processor.stop().await?;
/// engine.close().await
/// # }).unwrap();
/// ```
pub struct Processor {
    inner: Arc<Inner>,
    phase: watch::Sender<Phase>,
    /// Closed when the last task has ended.
    tasks: Mutex<Option<mpsc::Receiver<()>>>,
}

/// What every part of a processor shares.
pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) monitored: ContainerLink,
    pub(crate) settings: ProcessorSettings,
    pub(crate) store: LeaseStore,
    pub(crate) parked: ParkedStore,
    pub(crate) reaction: Box<dyn Reaction>,
    held: StdMutex<BTreeMap<EpkRange, Arc<Held>>>,
    initialised: AtomicBool,
    last_error: StdMutex<Option<String>>,
    pub(crate) woken: Notify,
}

impl Processor {
    /// Begins the choices of an instance that handles the changes of `monitored` and keeps leases in `leases`.
    /// Instances of the same name share the work; other names on the same containers are other processors.
    pub fn builder(
        engine: &Engine,
        monitored: ContainerLink,
        leases: ContainerLink,
        name: impl Into<String>,
    ) -> ProcessorBuilder {
        ProcessorBuilder::new(engine.clone(), monitored, leases, name.into())
    }

    pub(crate) fn new(inner: Inner) -> Self {
        let phase = watch::Sender::new(Phase::Idle);
        Self { inner: Arc::new(inner), phase, tasks: Mutex::default() }
    }

    /// Runs until it is stopped or dropped, on the engine's environment. What fails meanwhile is tried again; see
    /// [`Processor::last_error`].
    ///
    /// # Errors
    /// `Invalid` when it is started already, is stopping, or runs once.
    pub fn start(&self) -> Result<()> {
        let already = || Error::new(ErrorKind::Invalid, "The processor is running already.");
        // Taken only while it stops or runs once.
        let mut tasks = self.tasks.try_lock().map_err(|_| already())?;
        if self.is_started() {
            return Err(already());
        }
        let (running, ended) = mpsc::channel(1);
        *tasks = Some(ended);
        self.phase.send_replace(Phase::Running);
        Task::start(Arc::clone(&self.inner), self.phase.subscribe(), running);
        Ok(())
    }

    /// Lets the running pages end, releases the leases for other instances and returns then.
    ///
    /// # Errors
    /// Those of writing the leases; they then expire instead.
    pub async fn stop(&self) -> Result<()> {
        let mut tasks = self.tasks.lock().await;
        self.phase.send_replace(Phase::Stopping);
        if let Some(mut ended) = tasks.take() {
            while ended.recv().await.is_some() {}
        }
        let mut result = Ok(());
        for held in self.inner.held() {
            let released = held.release(&self.inner.store, self.inner.environment()).await;
            self.inner.forget(&held);
            if let Err(Halt::Failed(error)) = released {
                result = Err(error);
            }
        }
        self.phase.send_replace(Phase::Idle);
        result
    }

    /// What went wrong last, in the reaction or in an operation on one of the containers.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.inner.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A turn in which the processor is neither started nor stopped; refused while it runs.
    pub(crate) async fn idle(&self) -> Result<impl Drop> {
        let turn = self.tasks.lock().await;
        if self.is_started() {
            return Err(Error::new(ErrorKind::Invalid, "The processor is started; stop it first."));
        }
        Ok(turn)
    }

    fn is_started(&self) -> bool {
        *self.phase.borrow() != Phase::Idle
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        self.phase.send_replace(Phase::Dropped);
    }
}

impl fmt::Debug for Processor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Processor({}, {})",
            self.inner.store.prefix(),
            self.inner.settings.instance
        )
    }
}

impl Inner {
    pub(crate) fn new(
        engine: Engine,
        monitored: ContainerLink,
        settings: ProcessorSettings,
        store: LeaseStore,
        parked: ParkedStore,
        reaction: impl Reaction + 'static,
    ) -> Self {
        Self {
            engine,
            monitored,
            settings,
            store,
            parked,
            reaction: Box::new(reaction),
            held: StdMutex::default(),
            initialised: AtomicBool::new(false),
            last_error: StdMutex::default(),
            woken: Notify::new(),
        }
    }

    pub(crate) fn environment(&self) -> &Environment {
        self.engine.environment()
    }

    pub(crate) fn now(&self) -> TimestampMs {
        self.environment().now()
    }

    /// A lease older than this is renewed. Half the interval: a round that comes a little early must not skip one.
    pub(crate) fn renewal_due(&self) -> Duration {
        self.settings.renew_interval / 2
    }

    /// The leases this instance works on, in the order of their ranges.
    pub(crate) fn held(&self) -> Vec<Arc<Held>> {
        self.lock_held().values().cloned().collect()
    }

    pub(crate) fn hold(&self, lease: Lease) {
        let held = Arc::new(Held::new(lease));
        let before = self.lock_held().insert(held.range.clone(), held);
        if let Some(before) = before {
            before.lose();
        }
    }

    /// Ends the work on a lease.
    pub(crate) fn forget(&self, held: &Arc<Held>) {
        held.lose();
        let mut leases = self.lock_held();
        if leases.get(&held.range).is_some_and(|known| Arc::ptr_eq(known, held)) {
            leases.remove(&held.range);
        }
    }

    pub(crate) fn is_initialised(&self) -> bool {
        self.initialised.load(Ordering::SeqCst)
    }

    pub(crate) fn set_initialised(&self) {
        self.initialised.store(true, Ordering::SeqCst);
    }

    /// Keeps the sentence of an error for whoever asks.
    pub(crate) fn remember(&self, error: &dyn std::error::Error) {
        let mut last = self.last_error.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(error.to_string());
    }

    fn lock_held(&self) -> MutexGuard<'_, BTreeMap<EpkRange, Arc<Held>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
