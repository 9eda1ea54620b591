//! The engine as a value: opened on a store, shared by cloning, closed once.
//!
//! Owns the shared core (store, environment, settings, catalog view) and its lifecycle. Does not own operations: each
//! one adds its method in its own file.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use model::{DatabaseId, TimestampMs};
use storage::{Shard, Store, memory::MemoryStore};
use tokio::sync::{Mutex, Notify, oneshot};

use crate::catalog::{CatalogStore, CatalogView, ContainerEntry, DatabaseEntry};
use crate::charge::ChargeContext;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::operation::ContainerLink;
use crate::partition::PhysicalPartition;
use crate::query::{ParsedQueryCache, PreparedQueryCache, ResultStore, ShapeCache};
use crate::settings::{EngineSettings, MaintenanceTotals};
use crate::throughput::SharedThroughputs;
use crate::work::{EvaluationPool, RequestWork, ScriptThreads};

/// A database account on a store. Cloning shares it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use planisphere_engine::Engine;
/// let engine = Engine::in_memory().await?;
/// assert!(engine.list_databases().await?.value.is_empty());
/// engine.close().await
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Engine {
    pub(crate) core: Arc<EngineCore>,
    /// Whether requests through this handle are part of the usage.
    is_counted: bool,
}

pub(crate) struct EngineCore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) environment: Environment,
    pub(crate) settings: Arc<EngineSettings>,
    view: RwLock<Arc<CatalogView>>,
    pub(crate) catalog: Mutex<CatalogStore>,
    pub(crate) parsed_queries: ParsedQueryCache,
    pub(crate) prepared_queries: PreparedQueryCache,
    pub(crate) query_results: ResultStore,
    pub(crate) shared_throughputs: SharedThroughputs,
    /// When the engine was opened, which is when counting began.
    pub(crate) opened: TimestampMs,
    pub(crate) shape_cache: Arc<ShapeCache>,
    /// The threads and memory of long evaluations.
    pub(crate) evaluations: Arc<EvaluationPool>,
    pub(crate) script_threads: ScriptThreads,
    closed: AtomicBool,
    /// One round of maintenance at a time; closing waits for it.
    pub(crate) maintaining: Mutex<()>,
    /// One split in the background at a time; wakes the one who looks for partitions to split.
    pub(crate) splitting: Mutex<()>,
    pub(crate) split_due: Arc<Notify>,
    /// What all rounds of maintenance together did.
    pub(crate) maintained: StdMutex<MaintenanceTotals>,
    /// Shards that a split or merge is filling. They are marked for reclaiming, so that a crash leaves no garbage; the
    /// reclaimer must skip them while this engine runs.
    // In memory only: after a restart nothing is being built, and what is marked is garbage.
    building: StdMutex<HashSet<Shard>>,
}

impl EngineCore {
    pub(crate) fn is_building(&self, shard: Shard) -> bool {
        self.building.lock().unwrap_or_else(PoisonError::into_inner).contains(&shard)
    }

    pub(crate) fn start_building(&self, shards: &[Shard]) {
        self.building.lock().unwrap_or_else(PoisonError::into_inner).extend(shards);
    }

    pub(crate) fn end_building(&self, shards: &[Shard]) {
        let mut building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        building.retain(|shard| !shards.contains(shard));
    }
}

impl Engine {
    /// Opens the account of a store, or creates one in an empty store.
    ///
    /// # Errors
    /// `Unavailable` if the store cannot be read, `Corrupt` if its catalog is inconsistent.
    pub async fn open(
        store: Arc<dyn Store>,
        environment: Environment,
        settings: EngineSettings,
    ) -> Result<Self> {
        let catalog = CatalogStore::open(Arc::clone(&store)).await?;
        let opened = environment.now();
        let evaluations = Arc::new(EvaluationPool::new(&settings));
        let core = EngineCore {
            evaluations,
            script_threads: ScriptThreads::new(&settings),
            store,
            environment,
            settings: Arc::new(settings),
            view: RwLock::default(),
            catalog: Mutex::new(catalog),
            parsed_queries: ParsedQueryCache::default(),
            prepared_queries: PreparedQueryCache::default(),
            query_results: ResultStore::default(),
            shared_throughputs: SharedThroughputs::default(),
            opened,
            shape_cache: Arc::default(),
            closed: AtomicBool::new(false),
            maintaining: Mutex::default(),
            splitting: Mutex::default(),
            split_due: Arc::default(),
            maintained: StdMutex::default(),
            building: StdMutex::default(),
        };
        let engine = Self::of_core(Arc::new(core));
        // Before maintenance starts: a round must see every container, or it would reclaim nothing and forget nothing
        // wrongly.
        engine.load().await?;
        if engine.core.settings.maintenance {
            engine.start_maintenance();
            engine.start_splitting();
        }
        Ok(engine)
    }

    /// The same account, for a tool that looks at it: its requests are charged and throttled like others, but they
    /// are not counted in [`Engine::usage`] and not sampled, so that looking does not change what is seen.
    #[must_use]
    pub fn uncounted(&self) -> Self {
        Self { core: Arc::clone(&self.core), is_counted: false }
    }

    pub(crate) fn of_core(core: Arc<EngineCore>) -> Self {
        Self { core, is_counted: true }
    }

    pub(crate) fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// A budget for one request.
    pub(crate) fn request_work(&self, time_max: Option<Duration>) -> Arc<RequestWork> {
        let EngineCore { evaluations, environment, settings, .. } = self.core.as_ref();
        RequestWork::new(evaluations, environment, time_max, settings.request_work_max)
    }

    /// Runs a part of a request's evaluation on a thread of its own. If the caller goes away, it is cancelled.
    pub(crate) async fn evaluate<T: Send + 'static>(
        &self,
        work: &Arc<RequestWork>,
        evaluate: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        self.core.evaluations.run(&self.core.environment, work, evaluate).await
    }

    /// What background work has done since the engine was opened.
    #[must_use]
    pub fn maintenance_totals(&self) -> MaintenanceTotals {
        *self.core.maintained.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many slices of work all evaluations were granted so far: it stops growing when nothing is evaluated.
    #[must_use]
    pub fn evaluated_slices(&self) -> u64 {
        self.core.evaluations.slices()
    }

    /// Opens a new account in memory, with the system clock.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use planisphere_engine::Engine;
    ///
    /// let engine = Engine::in_memory().await?;
    /// assert!(engine.list_databases().await?.value.is_empty());
    /// engine.close().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub async fn in_memory() -> Result<Self> {
        let store = Arc::new(MemoryStore::new());
        Self::open(store, Environment::system(), EngineSettings::default()).await
    }

    /// Opens a new account in memory, in this environment and without maintenance: for tests that control the clock.
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub async fn simulated(environment: Environment) -> Result<Self> {
        let settings = EngineSettings { maintenance: false, ..EngineSettings::default() };
        Self::open(Arc::new(MemoryStore::new()), environment, settings).await
    }

    /// Makes everything written so far durable and refuses further operations, also through clones. The store is
    /// released with the last clone.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// engine.close().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` when the store cannot make its content durable.
    pub async fn close(self) -> Result<()> {
        // New operations are refused first; then maintenance, which writes, comes to its end; then the writers end.
        self.core.closed.store(true, Ordering::SeqCst);
        // Held to the end of this function: no round can begin after it.
        let _round = self.core.maintaining.lock().await;
        for container in self.view().containers() {
            // A split that runs notices that the engine is closed. Waiting for it keeps it from starting writers that
            // nobody would end.
            let _turn = container.restructuring.lock().await;
            let pauses = container.pause_writers().await;
            // Writers end before the store is closed, so that a queued write gets an error of the engine and not of
            // the store.
            container.retire(pauses).await;
        }
        // Clones of the engine may live on. Without the view, the store is released even so.
        self.replace_view(CatalogView::default());
        self.core.store.close().await?;
        Ok(())
    }

    /// The settings this engine was opened with.
    #[must_use]
    pub fn settings(&self) -> &EngineSettings {
        &self.core.settings
    }

    /// Why the store does not accept writes at present; `None` if it does. The store tries again by itself.
    #[must_use]
    pub fn write_failure(&self) -> Option<String> {
        self.core.store.write_failure()
    }

    /// The time, randomness and tasks this engine was opened with.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.core.environment
    }

    /// Runs work to its end even if the caller is cancelled: a change must not stop between its commit and the update
    /// of memory.
    pub(crate) async fn uninterrupted<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        self.core.environment.spawn(async move {
            // The receiver is gone if the caller was cancelled.
            let _ = sender.send(work.await);
        });
        receiver.await.map_err(|_| Error::closed())?
    }

    /// Waits until the map of a container no longer contains a partition that is retired.
    pub(crate) async fn wait_for_map_without(
        &self,
        container: &ContainerEntry,
        retired: &PhysicalPartition,
    ) -> Result<()> {
        if self.is_closed() {
            return Err(Error::closed());
        }
        container.wait_for_map_without(retired).await
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.core.closed.load(Ordering::SeqCst)
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.core.store.as_ref()
    }

    pub(crate) fn charges(&self) -> ChargeContext {
        let EngineSettings { charge_profile: profile, consistency, .. } = *self.core.settings;
        ChargeContext { profile, consistency }
    }

    pub(crate) fn now(&self) -> TimestampMs {
        self.core.environment.now()
    }

    pub(crate) fn stopwatch(&self) -> Duration {
        self.core.environment.stopwatch()
    }

    pub(crate) fn view(&self) -> Arc<CatalogView> {
        Arc::clone(&self.core.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace_view(&self, view: CatalogView) {
        *self.core.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }

    pub(crate) fn database(&self, id: &DatabaseId) -> Result<Arc<DatabaseEntry>> {
        if self.is_closed() {
            return Err(Error::closed());
        }
        self.view().databases.get(id).cloned().ok_or_else(|| Error::owner_not_found("database", id))
    }

    /// The catalog for a look-up. Not a clone as from `view()`: every item operation comes here, and the clone is one
    /// more shared counter to touch.
    pub(crate) fn locked_catalog(&self) -> Result<RwLockReadGuard<'_, Arc<CatalogView>>> {
        if self.is_closed() {
            return Err(Error::closed());
        }
        Ok(self.core.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn container(&self, link: &ContainerLink) -> Result<Arc<ContainerEntry>> {
        let view = self.locked_catalog()?;
        let database = view.databases.get(&link.database);
        let database =
            database.ok_or_else(|| Error::owner_not_found("database", &link.database))?;
        let container = database.containers.get(&link.container);
        container.cloned().ok_or_else(|| Error::owner_not_found("container", link))
    }

    /// Repeats rounds of maintenance until the engine is closed or dropped. The task holds a weak reference: it must
    /// not keep an engine alive that nobody else uses.
    fn start_maintenance(&self) {
        let core = Arc::downgrade(&self.core);
        let environment = self.core.environment.clone();
        let interval = Duration::from_millis(self.core.settings.maintenance_every_ms);
        self.core.environment.spawn(async move {
            loop {
                environment.sleep(interval).await;
                // Held only during a round: an engine that is dropped in between is gone at once.
                let Some(core) = core.upgrade() else { return };
                let engine = Self::of_core(core);
                if engine.is_closed() {
                    return;
                }
                // A failed round leaves everything as it was; the next one tries again, and requests see the store's
                // error themselves.
                let _ = engine.maintain().await;
            }
        });
    }

    async fn load(&self) -> Result<()> {
        let catalog = self.core.catalog.lock().await;
        let mut view = CatalogView::default();
        for record in catalog.databases().await? {
            self.share_throughput(&record);
            // Databases first: each container below needs its owner.
            view = view.with_database(DatabaseEntry { record, containers: Default::default() });
        }
        for (database, record) in catalog.containers().await? {
            let Some(owner) = view.databases.get(&database) else {
                return Err(Error::corrupt(format!(
                    "container '{}' belongs to database '{database}', which does not exist",
                    record.properties.id
                )));
            };
            let mut owner = DatabaseEntry::clone(owner);
            let container = ContainerEntry::start(self, &database, record).await?;
            owner.containers.insert(container.link.container.clone(), Arc::new(container));
            view = view.with_database(owner);
        }
        self.replace_view(view);
        Ok(())
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Engine({})", self.core.settings.account_id)
    }
}
