//! The system as a value: opened on an account, shared by cloning.
//!
//! Owns the state that actions, routes and the hub share. Actions are methods of [`Chat`], declared in their own
//! modules.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use client::{Account, Environment, RetryPolicy};
use service::http::ShutdownSignal;

use crate::broadcast::{ClientEvent, EventBroadcast};
use crate::containers::{ChatContainers, TtlReconcile};
use crate::delivery::{AddressSender, OutgoingText, TextSender};
use crate::directory::Directory;
use crate::domain::{MessageIds, RandomMessageIds, RoomName, UtcTimestamp};
use crate::ephemeral::{EphemeralStore, MemoryEphemeral, RedisEphemeral};
use crate::error::{ErrorKind, Result};
use crate::mention::MentionReceiver;
use crate::monitor::{ChatCounters, ChatTotals};
use crate::presence::{RecentPresence, UserConnections};
use crate::reminder::{ReminderQueue, ReminderRound, StoredReminders};
use crate::repository::{MessageRepository, RoomCharges, RoomRepository, UserRepository};
use crate::seeder::SeedReport;
use crate::settings::ChatSettings;
use crate::sign_in::CodeHasher;

/// How often presence entries without a heartbeat are looked for.
const PRESENCE_SWEEP: Duration = Duration::from_secs(180);
/// How often due reminders are looked for.
const REMINDER_POLL: Duration = Duration::from_secs(5);
/// The waits before a text is sent again: a code is of use for a few minutes only.
const DELIVERY_WAITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];

/// The chat on one account. Cloning shares it.
#[derive(Clone)]
pub struct Chat {
    pub(crate) core: Arc<ChatCore>,
}

/// The parts that a program or a test may bring along. The default makes those of the settings.
#[derive(Default)]
pub struct ChatParts {
    /// Ephemeral state.
    pub ephemeral: Option<Arc<dyn EphemeralStore>>,
    /// The queue of reminders.
    pub reminders: Option<Arc<dyn ReminderQueue>>,
    /// The way to users.
    pub sender: Option<Arc<dyn TextSender>>,
    /// Ids of messages.
    pub ids: Option<Arc<dyn MessageIds>>,
    /// Hears of mentions.
    pub mentions: Option<Arc<dyn MentionReceiver>>,
}

/// The shared state.
pub(crate) struct ChatCore {
    pub(crate) account: Account,
    pub(crate) containers: ChatContainers,
    pub(crate) settings: ChatSettings,
    pub(crate) environment: Environment,
    pub(crate) messages: MessageRepository,
    pub(crate) users: UserRepository,
    pub(crate) rooms: RoomRepository,
    pub(crate) directory: Directory,
    pub(crate) ephemeral: Arc<dyn EphemeralStore>,
    /// Windows of limits that are kept in this process.
    pub(crate) limits: MemoryEphemeral,
    pub(crate) reminders: Arc<dyn ReminderQueue>,
    pub(crate) hasher: CodeHasher,
    pub(crate) counters: ChatCounters,
    pub(crate) charges: RoomCharges,
    pub(crate) connections: UserConnections,
    pub(crate) presence: RecentPresence,
    pub(crate) mentions: Option<Arc<dyn MentionReceiver>>,
    /// Redis, if the settings name one.
    pub(crate) redis: Option<Arc<RedisEphemeral>>,
    sender: Arc<dyn TextSender>,
    broadcast: OnceLock<Arc<dyn EventBroadcast>>,
    reconciled: TtlReconcile,
    started: Duration,
}

impl Chat {
    /// Opens the system: validates the settings, creates or checks the containers, reconciles the time to live.
    ///
    /// # Errors
    /// `Invalid` for wrong settings, or a container that is missing or has another partition key; those of the account.
    pub async fn open(
        account: Account,
        settings: ChatSettings,
        environment: Environment,
        parts: ChatParts,
    ) -> Result<Self> {
        settings.check()?;
        tracing::info!(database = settings.cosmos.database, "Initializing Cosmos DB clients");
        let account =
            account.with_environment(environment.clone()).with_retry_policy(retry_policy());
        let (containers, reconciled) = ChatContainers::open(&account, &settings).await?;
        report_ttl(reconciled);
        if !settings.otp.hashing_enabled {
            tracing::warn!("one-time codes are stored as digits (Otp:HashingEnabled is false)");
        }
        let charges = RoomCharges::default();
        let redis = open_redis(&settings, &environment)?;
        let ephemeral = parts.ephemeral.unwrap_or_else(|| match &redis {
            Some(redis) => Arc::clone(redis) as Arc<dyn EphemeralStore>,
            None => Arc::new(MemoryEphemeral::new(environment.clone())),
        });
        report_redis(&*ephemeral).await;
        let reminders = parts.reminders.unwrap_or_else(|| match &redis {
            Some(redis) => Arc::clone(redis) as Arc<dyn ReminderQueue>,
            None => Arc::new(StoredReminders::new(containers.state.clone())),
        });
        let sender: Arc<dyn TextSender> = match parts.sender {
            Some(sender) => sender,
            None => AddressSender::open(&settings, &environment)?,
        };
        let ids = parts.ids.unwrap_or_else(|| {
            let strategy = settings.chat.message_id_strategy;
            Arc::new(RandomMessageIds::new(environment.clone(), strategy))
        });
        let messages =
            MessageRepository::new(containers.clone(), environment.clone(), ids, charges.clone());
        let (users, rooms) = (UserRepository::new(&containers), RoomRepository::new(&containers));
        let directory = Directory::new(&users, &rooms, &environment, &settings);
        let core = ChatCore {
            account,
            messages,
            users,
            rooms,
            directory,
            ephemeral,
            limits: MemoryEphemeral::new(environment.clone()),
            reminders,
            hasher: CodeHasher::new(&settings.otp)?,
            counters: ChatCounters::default(),
            charges,
            connections: UserConnections::default(),
            presence: RecentPresence::default(),
            mentions: parts.mentions,
            redis,
            sender,
            broadcast: OnceLock::new(),
            reconciled,
            started: environment.stopwatch(),
            containers,
            settings,
            environment,
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// The containers, for queries that this system does not offer.
    #[must_use]
    pub fn containers(&self) -> &ChatContainers {
        &self.core.containers
    }

    /// The settings it was opened with.
    #[must_use]
    pub fn settings(&self) -> &ChatSettings {
        &self.core.settings
    }

    /// The account it was opened on.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.core.account
    }

    /// The messages.
    #[must_use]
    pub fn messages(&self) -> &MessageRepository {
        &self.core.messages
    }

    /// The users.
    #[must_use]
    pub fn users(&self) -> &UserRepository {
        &self.core.users
    }

    /// The rooms.
    #[must_use]
    pub fn rooms(&self) -> &RoomRepository {
        &self.core.rooms
    }

    /// What the start did about the time to live of messages.
    #[must_use]
    pub fn ttl_reconcile(&self) -> TtlReconcile {
        self.core.reconciled
    }

    /// What this process has done.
    #[must_use]
    pub fn totals(&self) -> ChatTotals {
        self.core.counters.totals(&self.core.environment, self.core.started)
    }

    /// Request units by room.
    #[must_use]
    pub fn room_charges(&self) -> &RoomCharges {
        &self.core.charges
    }

    /// Sends events of this system to clients from now on. Later calls have no effect.
    pub fn broadcast_by(&self, broadcast: Arc<dyn EventBroadcast>) {
        let _ = self.core.broadcast.set(broadcast);
    }

    /// Seeds an empty database with the default rooms and users.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn seed(&self) -> Result<SeedReport> {
        self.core.seed().await
    }

    /// Removes presence entries without a heartbeat; returns how many.
    ///
    /// # Errors
    /// `Unavailable` if the ephemeral store cannot be reached.
    pub async fn sweep_presence(&self) -> Result<usize> {
        self.core.sweep_presence().await
    }

    /// Sends the reminders that are due.
    ///
    /// # Errors
    /// Those of the account and of the queue.
    pub async fn send_reminders(&self) -> Result<ReminderRound> {
        self.core.send_reminders().await
    }

    /// Cleans up presence and sends reminders until the shutdown.
    pub async fn run(&self, shutdown: &ShutdownSignal) {
        let environment = &self.core.environment;
        let sweeping = async {
            loop {
                environment.sleep(PRESENCE_SWEEP).await;
                if let Err(error) = self.core.sweep_presence().await {
                    tracing::warn!(%error, "presence could not be cleaned up");
                }
            }
        };
        let reminding = async {
            loop {
                environment.sleep(REMINDER_POLL).await;
                if let Err(error) = self.core.send_reminders().await {
                    tracing::warn!(%error, "reminders could not be sent");
                }
            }
        };
        tokio::select! {
            () = shutdown.triggered() => {}
            () = sweeping => {}
            () = reminding => {}
        }
    }
}

impl ChatCore {
    pub(crate) fn now(&self) -> UtcTimestamp {
        UtcTimestamp::now(&self.environment)
    }

    /// Sends an event to everybody in a room.
    pub(crate) async fn broadcast(&self, room: &RoomName, event: ClientEvent) {
        if let Some(broadcast) = self.broadcast.get() {
            broadcast.to_room(room, event).await;
        }
    }

    /// Sends a text in the background, and again if that may help.
    pub(crate) fn deliver(&self, outgoing: OutgoingText) {
        let (sender, sleeper) = (Arc::clone(&self.sender), self.environment.clone());
        self.environment.spawn(async move {
            let mut waits = DELIVERY_WAITS.into_iter();
            while let Err(error) = sender.send(&outgoing).await {
                let wait = waits.next().filter(|_| error.kind() == ErrorKind::Unavailable);
                let Some(wait) = wait else {
                    tracing::warn!(%error, "a text could not be sent");
                    return;
                };
                tracing::debug!(%error, "a text is sent again");
                sleeper.sleep(wait).await;
            }
        });
    }
}

/// Three attempts, as in seed 000.
fn retry_policy() -> RetryPolicy {
    RetryPolicy {
        attempts_max: 3,
        first_delay: Duration::from_millis(100),
        ..RetryPolicy::default()
    }
}

fn open_redis(
    settings: &ChatSettings,
    environment: &Environment,
) -> Result<Option<Arc<RedisEphemeral>>> {
    if settings.testing.in_memory || !settings.redis.connection_string.is_set() {
        return Ok(None);
    }
    Ok(Some(Arc::new(RedisEphemeral::open(&settings.redis, environment.clone())?)))
}

async fn report_redis(ephemeral: &dyn EphemeralStore) {
    let (endpoint, status) = (ephemeral.summary(), ephemeral.ping().await);
    match status {
        Ok(()) => tracing::info!(endpoint, status = "connected", "Redis connection"),
        Err(error) => tracing::warn!(endpoint, status = %error, "Redis connection"),
    }
}

fn report_ttl(reconciled: TtlReconcile) {
    match reconciled {
        TtlReconcile::Equal => {}
        TtlReconcile::Changed { from, to } => {
            tracing::warn!(?from, ?to, "the time to live of messages was changed");
        }
        TtlReconcile::Differs { has, wanted } => {
            tracing::warn!(
                ?has,
                ?wanted,
                "the time to live of messages differs; Cosmos:AutoCreate is false"
            );
        }
    }
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Chat({:?})", self.core.account)
    }
}
