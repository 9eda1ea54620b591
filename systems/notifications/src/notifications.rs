//! The system as a value: opened on an account, shared by cloning.
//!
//! Owns what every action, question and reaction needs. Does not own any of them.

use std::sync::{Arc, OnceLock};

use client::{Account, Environment};
use service::work::ttl_seconds;
use tokio::sync::Notify;

use crate::containers::Containers;
use crate::delivery::Delivery;
use crate::error::Result;
use crate::reaction::{Health, StepWatch};
use crate::settings::Settings;
use crate::stream::Signals;
use crate::text::Templates;
use crate::words::Moment;

/// Notifications of one account. Cloning shares it.
#[derive(Clone)]
pub struct Notifications {
    pub(crate) core: Arc<Core>,
}

pub(crate) struct Core {
    pub(crate) account: Account,
    pub(crate) containers: Containers,
    pub(crate) settings: Settings,
    pub(crate) environment: Environment,
    pub(crate) delivery: Arc<dyn Delivery>,
    pub(crate) templates: Templates,
    /// Wakes the dispatcher of this process when an event came in here.
    pub(crate) wake: Notify,
    /// Tells open streams what changed.
    pub(crate) signals: Signals,
    pub(crate) health: Health,
    /// Told of every step of the dispatcher: how tests stop it between two of them.
    pub(crate) step_watch: OnceLock<Arc<dyn StepWatch>>,
}

impl Notifications {
    /// Opens the system: checks the settings, creates the containers that are missing.
    ///
    /// # Errors
    /// `Invalid` for settings that are wrong or a container that does not fit; those of the account.
    pub async fn open(
        account: Account,
        settings: Settings,
        environment: Environment,
        delivery: Arc<dyn Delivery>,
    ) -> Result<Self> {
        settings.validate()?;
        let folder = settings.template_folder.as_deref();
        let templates = Templates::load(folder, &settings.defaults.locale)?;
        let account = account.with_environment(environment.clone());
        let containers = Containers::create(&account, &settings).await?;
        let signals =
            Signals::new(&environment, &containers.notifications, &containers.leases, &settings);
        let core = Core {
            account,
            containers,
            settings,
            environment,
            delivery,
            templates,
            wake: Notify::new(),
            signals,
            health: Health::default(),
            step_watch: OnceLock::new(),
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// The containers, for questions this system does not ask.
    #[must_use]
    pub fn containers(&self) -> &Containers {
        &self.core.containers
    }

    /// The settings it was opened with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.core.settings
    }

    /// Lets somebody watch the steps of the dispatcher; only the first one who asks.
    pub fn watch_steps(&self, watch: Arc<dyn StepWatch>) {
        let _ = self.core.step_watch.set(watch);
    }

    /// The account it was opened on.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.core.account
    }
}

impl Core {
    /// Says that a step of the dispatcher is done.
    pub(crate) fn reached(&self, step: crate::reaction::Step) {
        if let Some(watch) = self.step_watch.get() {
            watch.reached(step);
        }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment::now(&self.environment)
    }

    /// The `ttl` of something created then and written now: it must not live longer for being written. None while that
    /// is what the container says anyway.
    pub(crate) fn ttl(&self, created_at: Moment, now: Moment) -> Option<u32> {
        let seconds = ttl_seconds(created_at.after(self.settings.retention()), now);
        (seconds < self.settings.retention_seconds()).then_some(seconds)
    }
}

impl std::fmt::Debug for Notifications {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Notifications({:?})", self.core.account)
    }
}
