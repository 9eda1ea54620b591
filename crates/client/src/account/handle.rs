//! The account handle: opened once, shared by cloning.
//!
//! Owns the choice of the backend and of the retry policy. Calls on databases and containers use their own handles.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Engine, EngineSettings, Environment, SPACES, TravellingClock};
use model::DatabaseId;
use storage_lsm::LsmStore;

use crate::backend::{Backend, EmbeddedBackend, Faults, FaultyBackend, translate};
use crate::error::Result;
use crate::request::{BackendRequest, ResponseBody};
use crate::response::AccountResponse;
use crate::retry::RetryPolicy;

/// An account: embedded in the process, or behind an endpoint. Clones share it.
#[derive(Clone)]
pub struct Account {
    inner: Arc<AccountInner>,
}

#[derive(Clone)]
struct AccountInner {
    backend: Arc<dyn Backend>,
    environment: Environment,
    retry_policy: RetryPolicy,
    // Shared by all variants of the account, so that a test counts the calls of every clone.
    fan_outs: Arc<AtomicU64>,
}

/// Where an embedded account stores its data.
#[derive(Debug)]
pub enum StorageLocation {
    /// In memory; lost when the account is closed.
    Memory,
    /// In a folder, which is created if it is missing.
    Folder(PathBuf),
    /// In a schema of a PostgreSQL database, which is created if it is missing: `postgres://user@host/database`.
    #[cfg(feature = "postgres")]
    Postgres(String),
    /// In this engine, whose environment is used, too.
    Engine(Engine),
}

impl Account {
    /// Opens an account inside this process.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use planisphere_client::{Account, StorageLocation};
    ///
    /// let account = Account::embedded(StorageLocation::Memory).await?;
    /// assert!(!account.is_connected());
    /// account.close().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` when the folder is in use or cannot be read, `Unexpected` when it is damaged.
    pub async fn embedded(location: impl Into<StorageLocation>) -> Result<Self> {
        let engine = match location.into() {
            StorageLocation::Memory => Engine::in_memory().await.map_err(translate)?,
            StorageLocation::Folder(folder) => {
                let store = LsmStore::open(&folder, SPACES, storage_lsm::LsmSettings::default());
                let store = store.map_err(engine::Error::from).map_err(translate)?;
                let environment = Environment::system();
                Engine::open(store, environment, EngineSettings::default())
                    .await
                    .map_err(translate)?
            }
            #[cfg(feature = "postgres")]
            StorageLocation::Postgres(url) => open_postgres(&url).await.map_err(translate)?,
            StorageLocation::Engine(engine) => engine,
        };
        // The same clock as the engine: retries and leases of a simulated account must not wait for real time.
        let environment = engine.environment().clone();
        Ok(Self::new(Arc::new(EmbeddedBackend::new(engine)), environment))
    }

    /// Opens an account in memory with a simulated clock, for tests: waiting advances the clock without taking time,
    /// and the same seed gives the same random numbers.
    ///
    /// # Errors
    /// Those of [`Account::embedded`].
    pub async fn simulated(clock: &Arc<TravellingClock>, seed: u64) -> Result<Self> {
        let environment = Environment::travelling(Arc::clone(clock), seed);
        let engine = Engine::simulated(environment).await.map_err(translate)?;
        Self::embedded(engine).await
    }

    /// Connects to an account behind an endpoint: a Planisphere server, or the Azure service.
    ///
    /// # Errors
    /// `BadRequest` for an invalid connection string, `Unavailable` when the endpoint does not respond, `Unauthorized`
    /// when the credential is refused.
    #[cfg(feature = "connect")]
    pub async fn connect(endpoint: impl Into<crate::backend::Endpoint>) -> Result<Self> {
        let environment = Environment::system();
        let backend =
            crate::backend::ConnectedBackend::open(&endpoint.into(), environment.clone()).await?;
        Ok(Self::new(Arc::new(backend), environment))
    }

    /// Opens the account that a setting describes: `memory`, a connection string that starts with `AccountEndpoint=`,
    /// the URL of a PostgreSQL database that starts with `postgres://`, or the path of a folder.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use planisphere_client::Account;
    ///
    /// let account = Account::open("memory").await?;
    /// assert!(account.list_databases().await?.value.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Account::embedded`] and `Account::connect`; `Unsupported` for a connection string when this program
    /// was built without the feature `connect`, or for a URL without the feature `postgres`.
    pub async fn open(location: &str) -> Result<Self> {
        // An exact word: a folder of that name can still be opened as `./memory`.
        if location == "memory" {
            return Self::embedded(StorageLocation::Memory).await;
        }
        if location.starts_with("AccountEndpoint=") {
            #[cfg(feature = "connect")]
            return Self::connect(location).await;
            #[cfg(not(feature = "connect"))]
            return Err(crate::error::Error::new(
                crate::error::ErrorKind::Unsupported,
                "this program was built without the feature 'connect'; use a folder, or build it with the feature",
            ));
        }
        if location.starts_with("postgres://") || location.starts_with("postgresql://") {
            #[cfg(feature = "postgres")]
            return Self::embedded(StorageLocation::Postgres(location.to_owned())).await;
            #[cfg(not(feature = "postgres"))]
            return Err(crate::error::Error::new(
                crate::error::ErrorKind::Unsupported,
                "this program was built without the feature 'postgres'; use a folder, or build it with the feature",
            ));
        }
        Self::embedded(PathBuf::from(location)).await
    }

    fn new(backend: Arc<dyn Backend>, environment: Environment) -> Self {
        let retry_policy = RetryPolicy::default();
        let inner = AccountInner { backend, environment, retry_policy, fan_outs: Arc::default() };
        Self { inner: Arc::new(inner) }
    }

    /// The same account with another retry policy.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// use planisphere_client::RetryPolicy;
    ///
    /// let impatient = account.with_retry_policy(RetryPolicy::NEVER);
    /// assert!(impatient.list_databases().await.is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_retry_policy(&self, retry_policy: RetryPolicy) -> Self {
        Self { inner: Arc::new(AccountInner { retry_policy, ..AccountInner::clone(&self.inner) }) }
    }

    /// The same account with another clock, random generator and spawner, used for retries and processors.
    #[must_use]
    pub fn with_environment(&self, environment: Environment) -> Self {
        Self { inner: Arc::new(AccountInner { environment, ..AccountInner::clone(&self.inner) }) }
    }

    /// The same account with injected faults, for tests.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// use planisphere_client::{Fault, Faults};
    ///
    /// let faults = Faults::new();
    /// faults.next(Fault::Unavailable);
    /// // The first attempt fails, the retry succeeds.
    /// account.with_faults(faults.clone()).list_databases().await?;
    /// assert_eq!(faults.injected(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_faults(&self, faults: Faults) -> Self {
        // Faults sit below the retries, because retries are what they are meant to test.
        let inner = Arc::clone(&self.inner.backend);
        let backend = Arc::new(FaultyBackend::new(inner, faults, self.inner.environment.clone()));
        Self { inner: Arc::new(AccountInner { backend, ..AccountInner::clone(&self.inner) }) }
    }

    /// Lists the ids of its databases, sorted.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// account.database("shop")?.create_if_missing(None).await?;
    /// let ids = account.list_databases().await?.value;
    /// assert_eq!(ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["shop"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unauthorized`, `Unavailable`.
    pub async fn list_databases(&self) -> Result<AccountResponse<Vec<DatabaseId>>> {
        self.send(&BackendRequest::ListDatabases).await?.try_map(ResponseBody::into_databases)
    }

    /// Makes everything durable and closes the account. Calls through clones fail afterwards.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// account.close().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` when the data cannot be made durable.
    pub async fn close(&self) -> Result<()> {
        self.inner.backend.close().await
    }

    /// Whether the account is behind an endpoint. The documentation of this crate lists what such an account does not
    /// support.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.inner.backend.is_connected()
    }

    /// Number of queries over all partitions; see [`crate::QueryText::fan_out`].
    #[must_use]
    pub fn fan_outs(&self) -> u64 {
        self.inner.fan_outs.load(Ordering::Relaxed)
    }

    /// The clock, random generator and spawner of this account.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    /// Whether both handles share the same opened backend.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner.backend, &other.inner.backend)
    }

    pub(crate) fn count_fan_out(&self) {
        self.inner.fan_outs.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn backend(&self) -> &dyn Backend {
        self.inner.backend.as_ref()
    }

    pub(super) fn retry_policy(&self) -> &RetryPolicy {
        &self.inner.retry_policy
    }
}

#[cfg(feature = "postgres")]
async fn open_postgres(url: &str) -> engine::Result<Engine> {
    use storage_postgres::{PostgresLocation, PostgresSettings, PostgresStore};
    let location = PostgresLocation::parse(url)?;
    let store = PostgresStore::open(&location, PostgresSettings::default()).await?;
    Engine::open(store, Environment::system(), EngineSettings::default()).await
}

impl std::fmt::Debug for Account {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Account").finish_non_exhaustive()
    }
}

impl From<&Path> for StorageLocation {
    fn from(folder: &Path) -> Self {
        Self::Folder(folder.to_owned())
    }
}

impl From<PathBuf> for StorageLocation {
    fn from(folder: PathBuf) -> Self {
        Self::Folder(folder)
    }
}

impl From<&str> for StorageLocation {
    fn from(folder: &str) -> Self {
        Self::Folder(folder.into())
    }
}

impl From<Engine> for StorageLocation {
    fn from(engine: Engine) -> Self {
        Self::Engine(engine)
    }
}
