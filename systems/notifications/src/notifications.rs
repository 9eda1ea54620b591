//! The system as a value: opened on an account, shared by cloning.
//!
//! Owns the state that actions, questions and reactions share. They are methods of [`Notifications`], declared in their
//! own modules.

use std::sync::{Arc, OnceLock};

use client::{Account, Environment};
use service::work::{WorkQueue, ttl_seconds};
use tokio::sync::Notify;

use crate::containers::Containers;
use crate::delivery::Delivery;
use crate::domain::{NotificationEvent, UtcTimestamp};
use crate::error::Result;
use crate::monitor::{DispatchObserver, DispatchStep, DispatcherHealth};
use crate::queue::producer_queue;
use crate::settings::NotificationSettings;
use crate::stream::StreamHub;
use crate::text::Templates;

/// The notifications system on one account. Cloning shares it.
#[derive(Clone)]
pub struct Notifications {
    pub(crate) core: Arc<NotificationsCore>,
}

/// The shared state.
pub(crate) struct NotificationsCore {
    pub(crate) account: Account,
    pub(crate) containers: Containers,
    pub(crate) settings: NotificationSettings,
    pub(crate) environment: Environment,
    pub(crate) delivery: Arc<dyn Delivery>,
    pub(crate) templates: Templates,
    /// Adds, releases and replays events. The dispatcher has a queue object of its own, with a worker.
    pub(crate) queue: WorkQueue<NotificationEvent>,
    /// Wakes this process's dispatcher after this process wrote an event; it would otherwise wait for its next poll.
    pub(crate) wake_dispatcher: Notify,
    /// Sends changes of in-app lists to open streams.
    pub(crate) streams: StreamHub,
    pub(crate) health: DispatcherHealth,
    /// Is called after every step of the dispatcher, so that a test can stop it between two of them.
    observer: OnceLock<Arc<dyn DispatchObserver>>,
}

impl Notifications {
    /// Opens the system: validates the settings and creates missing containers.
    ///
    /// # Errors
    /// `Invalid` for wrong settings or a container that differs and cannot be changed; those of the account.
    pub async fn open(
        account: Account,
        settings: NotificationSettings,
        environment: Environment,
        delivery: Arc<dyn Delivery>,
    ) -> Result<Self> {
        // Before the account is touched: wrong settings must not create containers.
        settings.validate()?;
        let folder = settings.template_folder.as_deref();
        let templates = Templates::load(folder, &settings.defaults.locale)?;
        // The clients must see the same clock as the system; a test moves both at once.
        let account = account.with_environment(environment.clone());
        let containers = Containers::create(&account, &settings).await?;
        let queue = producer_queue(&containers.events, &settings);
        let streams =
            StreamHub::new(&environment, &containers.notifications, &containers.leases, &settings);
        let core = NotificationsCore {
            account,
            containers,
            settings,
            environment,
            delivery,
            templates,
            queue,
            wake_dispatcher: Notify::new(),
            streams,
            health: DispatcherHealth::default(),
            observer: OnceLock::new(),
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// The containers, for queries that this system does not offer.
    #[must_use]
    pub fn containers(&self) -> &Containers {
        &self.core.containers
    }

    /// The settings it was opened with.
    #[must_use]
    pub fn settings(&self) -> &NotificationSettings {
        &self.core.settings
    }

    /// Sets the observer of the dispatcher's steps. Later calls have no effect.
    pub fn observe_steps(&self, observer: Arc<dyn DispatchObserver>) {
        let _ = self.core.observer.set(observer);
    }

    /// The account it was opened on.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.core.account
    }
}

impl NotificationsCore {
    /// Reports a step of the dispatcher to the observer.
    pub(crate) fn report_step(&self, step: DispatchStep) {
        if let Some(observer) = self.observer.get() {
            observer.on_step(step);
        }
    }

    pub(crate) fn now(&self) -> UtcTimestamp {
        UtcTimestamp::now(&self.environment)
    }

    /// The `ttl` of an item created at `created_at` and written now. The store counts `ttl` from the last write, so
    /// every write sets the rest of the item's life. `None` if that is the container's default, which saves the charge
    /// of an indexed property.
    pub(crate) fn ttl(&self, created_at: UtcTimestamp, now: UtcTimestamp) -> Option<u32> {
        let seconds = ttl_seconds(created_at.after(self.settings.retention()), now);
        (seconds < self.settings.retention_seconds()).then_some(seconds)
    }
}

impl std::fmt::Debug for Notifications {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Notifications({:?})", self.core.account)
    }
}
