//! The system as a value: opened on an account, shared by cloning.
//!
//! Owns the state that actions, questions and reactions share. They are methods of [`SecretMigration`], declared in
//! their own modules.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use client::{Account, Environment};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::Notify;

use crate::containers::MigrationContainers;
use crate::domain::UtcTimestamp;
use crate::error::{Error, Result};
use crate::hook::{HookEvent, HookSettings, Hooks};
use crate::monitor::{MigrationObserver, MigrationStep, WorkerCounters, WorkerTotals};
use crate::pace::Pace;
use crate::rollout::Rollout;
use crate::secret::FingerprintKey;
use crate::settings::MigrationSettings;
use crate::source::SecretSource;
use crate::target::SecretTarget;
use crate::watch::{WatchHub, event_ring};

/// The migration tracker on one account. Cloning shares it.
#[derive(Clone)]
pub struct SecretMigration {
    pub(crate) core: Arc<MigrationCore>,
}

/// The platforms that a migration works with.
#[derive(Clone)]
pub struct Platforms {
    /// Where secrets come from.
    pub source: Arc<dyn SecretSource>,
    /// Where they go.
    pub target: Arc<dyn SecretTarget>,
    /// How workloads take up the switch.
    pub rollout: Arc<dyn Rollout>,
}

/// The shared state.
pub(crate) struct MigrationCore {
    pub(crate) account: Account,
    pub(crate) containers: MigrationContainers,
    pub(crate) settings: MigrationSettings,
    pub(crate) environment: Environment,
    pub(crate) platforms: Platforms,
    pub(crate) fingerprints: FingerprintKey,
    /// Wakes the workers of this process after this process made a workload pending.
    pub(crate) wake_workers: Notify,
    /// Notifies watchers of changes.
    pub(crate) watch: WatchHub,
    /// Changes for pages, published while somebody follows the change feeds.
    pub(crate) events: service::http::EventRing,
    pub(crate) counters: WorkerCounters,
    /// The limit of request units of all workers.
    pub(crate) pace: Pace,
    /// The workers of this process begin nothing new.
    pub(crate) is_stopping: AtomicBool,
    hooks: OnceLock<Hooks>,
    observer: OnceLock<Arc<dyn MigrationObserver>>,
}

impl SecretMigration {
    /// Opens the system: validates the settings and creates missing containers.
    ///
    /// # Errors
    /// `Invalid` for wrong settings or a container that differs and cannot be changed; those of the account.
    pub async fn open(
        account: Account,
        settings: MigrationSettings,
        environment: Environment,
        platforms: Platforms,
    ) -> Result<Self> {
        settings.validate()?;
        if settings.all_versions && !platforms.target.numbers_versions() {
            let message = "Migration:AllVersions: this target does not number its versions, so an interrupted copy \
                           could not go on; use the newest version only, or a target of the kind kv2 or directory";
            return Err(Error::invalid(message));
        }
        let fingerprints = fingerprint_key(&settings)?;
        let account = account.with_environment(environment.clone());
        let containers = MigrationContainers::create(&account, &settings).await?;
        let watch = WatchHub::new(&environment, &settings);
        let events = event_ring(&environment);
        let pace = Pace::new(settings.request_units_per_second);
        let core = MigrationCore {
            account,
            containers,
            settings,
            environment,
            platforms,
            fingerprints,
            wake_workers: Notify::new(),
            watch,
            events,
            hooks: OnceLock::new(),
            counters: WorkerCounters::default(),
            pace,
            is_stopping: AtomicBool::new(false),
            observer: OnceLock::new(),
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// The containers, for queries that this system does not offer.
    #[must_use]
    pub fn containers(&self) -> &MigrationContainers {
        &self.core.containers
    }

    /// The settings it was opened with.
    #[must_use]
    pub fn settings(&self) -> &MigrationSettings {
        &self.core.settings
    }

    /// The account it was opened on.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.core.account
    }

    /// What the workers of this process have done.
    #[must_use]
    pub fn totals(&self) -> WorkerTotals {
        self.core.counters.totals()
    }

    /// Calls the hook of these settings from now on. Later calls have no effect.
    ///
    /// # Errors
    /// `Invalid` for settings that cannot be used.
    pub fn send_hooks(&self, settings: HookSettings) -> Result<()> {
        let hooks = Hooks::open(settings, self.core.environment.clone())?;
        let _ = self.core.hooks.set(hooks);
        Ok(())
    }

    /// Sets the observer of the workers' steps. Later calls have no effect.
    pub fn observe_steps(&self, observer: Arc<dyn MigrationObserver>) {
        let _ = self.core.observer.set(observer);
    }
}

/// The operator's key, or one of this process.
fn fingerprint_key(settings: &MigrationSettings) -> Result<FingerprintKey> {
    if settings.fingerprint_secret.is_set() {
        let secret = settings.fingerprint_secret.expose().as_bytes();
        return Ok(FingerprintKey::from_secret(secret));
    }
    // Not from the environment: a seeded generator could be repeated by whoever knows the seed.
    let mut secret = zeroize::Zeroizing::new([0_u8; 32]);
    SystemRandom::new()
        .fill(&mut *secret)
        .map_err(|_| Error::internal("the operating system gives no random numbers"))?;
    Ok(FingerprintKey::from_secret(&*secret))
}

impl MigrationCore {
    /// Reports a step to the observer.
    pub(crate) fn report_step(&self, step: MigrationStep, recorded: bool) {
        if let Some(observer) = self.observer.get() {
            observer.on_step(step, recorded);
        }
    }

    /// Sends events to the operator's hook.
    pub(crate) fn notify(&self, event: HookEvent, subject: &str, reason: &str) {
        if let Some(hooks) = self.hooks.get() {
            hooks.notify(event, subject, reason);
        }
    }

    pub(crate) fn now(&self) -> UtcTimestamp {
        UtcTimestamp::now(&self.environment)
    }
}

impl std::fmt::Debug for SecretMigration {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SecretMigration({:?})", self.core.account)
    }
}
