//! An account as a value: opened in one of its places, shared by cloning.
//!
//! Owns where it is and how it retries. Does not own any call: databases and containers are asked through handles.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Engine, EngineSettings, Environment, SPACES, TravellingClock};
use model::DatabaseId;
use storage_lsm::LsmStore;

use crate::answer::{ActivityId, Answer};
use crate::call::{Body, Reply, Request};
use crate::error::Result;
use crate::faults::Faults;
use crate::place::{Embedded, Faulty, Place, translate};
use crate::resource::Database;
use crate::retry::RetryPolicy;

/// An account: embedded in the program, or behind an endpoint. Cloning shares it.
#[derive(Clone)]
pub struct Account {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    place: Arc<dyn Place>,
    environment: Environment,
    retry_policy: RetryPolicy,
    fan_outs: Arc<AtomicU64>,
}

/// Where an embedded account keeps what it holds.
#[derive(Debug)]
pub enum Location {
    /// In memory; gone when it is closed.
    Memory,
    /// In a folder of its own, made when it is missing.
    Folder(PathBuf),
    /// Wherever this engine keeps it; its environment is used too.
    Engine(Engine),
}

impl Account {
    /// Opens an account inside this program.
    ///
    /// # Errors
    /// `Unavailable` when the folder is in use or cannot be read, `Unexpected` when it is damaged.
    pub async fn embedded(location: impl Into<Location>) -> Result<Self> {
        let engine = match location.into() {
            Location::Memory => Engine::in_memory().await.map_err(translate)?,
            Location::Folder(folder) => {
                let store = LsmStore::open(&folder, SPACES, storage_lsm::LsmSettings::default());
                let store = store.map_err(engine::Error::from).map_err(translate)?;
                let environment = Environment::system();
                Engine::open(store, environment, EngineSettings::default())
                    .await
                    .map_err(translate)?
            }
            Location::Engine(engine) => engine,
        };
        let environment = engine.environment().clone();
        Ok(Self::new(Arc::new(Embedded::new(engine)), environment))
    }

    /// Opens an account in memory on a made-up clock: waiting moves the clock and costs no time, randomness repeats for
    /// the same seed. For tests of what stands on this crate.
    ///
    /// # Errors
    /// Those of [`Account::embedded`].
    pub async fn simulated(clock: &Arc<TravellingClock>, seed: u64) -> Result<Self> {
        let environment = Environment::travelling(Arc::clone(clock), seed);
        let engine = Engine::simulated(environment).await.map_err(translate)?;
        Self::embedded(engine).await
    }

    /// Connects to an account behind an endpoint: a server of ours, or the service.
    ///
    /// # Errors
    /// `BadRequest` for a connection string that cannot be read, `Unavailable` when nobody answers, `Unauthorized` when
    /// the credential is refused.
    #[cfg(feature = "connect")]
    pub async fn connect(endpoint: impl Into<crate::place::Endpoint>) -> Result<Self> {
        let environment = Environment::system();
        let place = crate::place::Connected::open(&endpoint.into(), environment.clone()).await?;
        Ok(Self::new(Arc::new(place), environment))
    }

    /// The account one setting names: `memory`, a connection string that begins with `AccountEndpoint=`, or a folder.
    ///
    /// # Errors
    /// Those of [`Account::embedded`] and `Account::connect`; `Unsupported` for a connection string when this program
    /// was built without the feature `connect`.
    pub async fn open(place: &str) -> Result<Self> {
        if place == "memory" {
            return Self::embedded(Location::Memory).await;
        }
        if place.starts_with("AccountEndpoint=") {
            #[cfg(feature = "connect")]
            return Self::connect(place).await;
            #[cfg(not(feature = "connect"))]
            return Err(crate::error::Error::new(
                crate::error::ErrorKind::Unsupported,
                "this program was built without the feature 'connect'; use a folder, or build it with the feature",
            ));
        }
        Self::embedded(PathBuf::from(place)).await
    }

    fn new(place: Arc<dyn Place>, environment: Environment) -> Self {
        let retry_policy = RetryPolicy::default();
        let inner = Inner { place, environment, retry_policy, fan_outs: Arc::default() };
        Self { inner: Arc::new(inner) }
    }

    /// The same account, retrying by another policy.
    #[must_use]
    pub fn with_retry_policy(&self, retry_policy: RetryPolicy) -> Self {
        Self { inner: Arc::new(Inner { retry_policy, ..Inner::clone(&self.inner) }) }
    }

    /// The same account on another clock, randomness and spawner: waits between retries, leases of processors.
    #[must_use]
    pub fn with_environment(&self, environment: Environment) -> Self {
        Self { inner: Arc::new(Inner { environment, ..Inner::clone(&self.inner) }) }
    }

    /// The same account, failing as planned: for tests of what stands on it.
    #[must_use]
    pub fn with_faults(&self, faults: Faults) -> Self {
        let below = Arc::clone(&self.inner.place);
        let place = Arc::new(Faulty::new(below, faults, self.inner.environment.clone()));
        Self { inner: Arc::new(Inner { place, ..Inner::clone(&self.inner) }) }
    }

    /// A handle on a database, whether it exists or not.
    ///
    /// # Errors
    /// `BadRequest` for a name that breaks the rules for names.
    pub fn database(&self, id: &str) -> Result<Database> {
        Database::new(self.clone(), id)
    }

    /// The databases it has, by name.
    ///
    /// # Errors
    /// `Unauthorized`, `Unavailable`.
    pub async fn list_databases(&self) -> Result<Answer<Vec<DatabaseId>>> {
        self.send(&Request::ListDatabases).await?.answer(Body::into_databases)
    }

    /// Makes everything durable and lets go of the place; calls through clones fail afterwards.
    ///
    /// # Errors
    /// `Unavailable` when the store cannot make its content durable.
    pub async fn close(&self) -> Result<()> {
        self.inner.place.close().await
    }

    /// Whether it is behind an endpoint; what such a place cannot do is listed in the documentation of this crate.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.inner.place.is_connected()
    }

    /// How many queries over all partitions were sent, by [`crate::QueryText::fan_out`].
    #[must_use]
    pub fn fan_outs(&self) -> u64 {
        self.inner.fan_outs.load(Ordering::Relaxed)
    }

    /// The time, randomness and tasks of this account.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    /// Whether both values share one opened place.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner.place, &other.inner.place)
    }

    pub(crate) fn count_fan_out(&self) {
        self.inner.fan_outs.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn place(&self) -> &dyn Place {
        self.inner.place.as_ref()
    }

    pub(crate) fn retry_policy(&self) -> &RetryPolicy {
        &self.inner.retry_policy
    }

    /// The reply to a write that was done by an attempt whose answer was lost.
    pub(crate) fn empty_reply(&self) -> Reply {
        Reply {
            body: Body::Nothing,
            charge: 0.0,
            etag: None,
            session_token: None,
            activity_id: ActivityId::random(&self.inner.environment),
        }
    }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Account").finish_non_exhaustive()
    }
}

impl From<&Path> for Location {
    fn from(folder: &Path) -> Self {
        Self::Folder(folder.to_owned())
    }
}

impl From<PathBuf> for Location {
    fn from(folder: PathBuf) -> Self {
        Self::Folder(folder)
    }
}

impl From<&str> for Location {
    fn from(folder: &str) -> Self {
        Self::Folder(folder.into())
    }
}

impl From<Engine> for Location {
    fn from(engine: Engine) -> Self {
        Self::Engine(engine)
    }
}
