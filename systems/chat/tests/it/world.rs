//! The environment of one test: an engine on a test clock, the system on an account, recorded texts and events.
//!
//! An account is embedded, or connected over HTTP to a server of our own on a socket. Ephemeral state is in memory;
//! with `CHAT_TESTS_REDIS` in the environment, all tests use a real Redis instead (CH-095).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chat::{
    Chat, ChatMember, ChatParts, ChatSettings, ClientEvent, DeliveryAddress, EphemeralStore,
    EventBroadcast, FeatureSettings, MemoryEphemeral, MessageIds, MessageView, OtpSettings,
    OutgoingText, RedisEphemeral, RoomName, SendRequest, TextSender, UserName, UtcTimestamp,
};
use client::{Account, Environment, Faults, TimestampMs, TravellingClock};
use engine::Engine;
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::redis::RedisServer;

pub(crate) const ALICE: &str = "alice@example.com";
pub(crate) const BOB: &str = "bob@example.com";
pub(crate) const CHARLIE: &str = "charlie@example.com";
const START: &str = "2025-11-21T12:00:00.000Z";

/// How the account is reached.
#[async_trait]
pub(crate) trait Way: Send + Sync + 'static {
    async fn account(engine: &Engine) -> (Account, Option<oneshot::Sender<()>>);
}

pub(crate) struct Embedded;
pub(crate) struct OverGateway;

#[async_trait]
impl Way for Embedded {
    async fn account(engine: &Engine) -> (Account, Option<oneshot::Sender<()>>) {
        (Account::embedded(engine.clone()).await.unwrap(), None)
    }
}

#[async_trait]
impl Way for OverGateway {
    async fn account(engine: &Engine) -> (Account, Option<oneshot::Sender<()>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        // Clients sign with the machine's clock, and the engine's clock travels.
        let settings =
            GatewaySettings { clock_skew_max_seconds: None, ..GatewaySettings::default() };
        let gateway = Gateway::new(engine.clone(), settings);
        tokio::spawn(async move {
            gateway
                .serve(listener, async {
                    let _ = stopped.await;
                })
                .await;
        });
        let place = format!("AccountEndpoint=http://{address}/;AccountKey={EMULATOR_KEY};");
        let account = Account::connect(place.as_str()).await.unwrap();
        assert!(account.is_connected());
        (account, Some(stop))
    }
}

/// Keeps the texts that were sent.
#[derive(Clone, Default)]
pub(crate) struct Texts(Arc<Mutex<Vec<(String, String)>>>);

/// Keeps the events that were sent.
#[derive(Clone, Default)]
pub(crate) struct SentEvents(Arc<Mutex<Vec<SentEvent>>>);

/// The receiver, the name and the arguments of an event.
type SentEvent = (String, &'static str, Value);

#[async_trait]
impl TextSender for Texts {
    async fn send(&self, outgoing: &OutgoingText) -> chat::Result<()> {
        let to = match &outgoing.address {
            DeliveryAddress::Mail(to) | DeliveryAddress::Mobile(to) => to.clone(),
        };
        self.0.lock().unwrap().push((to, outgoing.text.clone()));
        Ok(())
    }
}

#[async_trait]
impl EventBroadcast for SentEvents {
    async fn to_room(&self, room: &RoomName, event: ClientEvent) {
        let event = (room.as_str().to_owned(), event.target, event.argument);
        self.0.lock().unwrap().push(event);
    }
}

impl Texts {
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap().clone()
    }

    /// The code of the newest text to a user; texts are sent in the background.
    pub(crate) async fn code_of(&self, user: &str) -> String {
        for _ in 0..10_000 {
            let all = self.all();
            if let Some((_, text)) = all.iter().rev().find(|(to, _)| to == user) {
                let digits: String = text.chars().filter(char::is_ascii_digit).take(6).collect();
                return digits;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("no text was sent to {user}");
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    /// Waits for so many texts.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<(String, String)> {
        for _ in 0..10_000 {
            if self.all().len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.all()
    }
}

impl SentEvents {
    /// The arguments of all events with this name.
    pub(crate) fn all(&self, target: &str) -> Vec<Value> {
        let all = self.0.lock().unwrap();
        all.iter().filter(|event| event.1 == target).map(|event| event.2.clone()).collect()
    }
}

pub(crate) struct World {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) environment: Environment,
    pub(crate) account: Account,
    pub(crate) ephemeral: Arc<dyn EphemeralStore>,
    memory: Arc<MemoryEphemeral>,
    redis: Option<RedisServer>,
    pub(crate) texts: Texts,
    pub(crate) sent: SentEvents,
    pub(crate) faults: Faults,
    pub(crate) chat: Chat,
    _server: Option<oneshot::Sender<()>>,
}

/// Development settings with cheap hashes and without limits that tests would meet by accident.
pub(crate) fn settings() -> ChatSettings {
    let mut settings = ChatSettings::default();
    settings.chat.development = true;
    settings.chat.user_cache_seconds = 0;
    settings.otp = OtpSettings { memory_kib: 8_192, iterations: 1, ..OtpSettings::default() };
    settings.rate_limiting.auth.permit_limit = 1_000;
    settings
}

pub(crate) fn settings_with_features() -> ChatSettings {
    ChatSettings { features: FeatureSettings::all(), ..settings() }
}

impl World {
    /// Seeded, embedded or over the gateway.
    pub(crate) async fn new<W: Way>() -> Self {
        Self::with::<W>(settings()).await
    }

    pub(crate) async fn with<W: Way>(settings: ChatSettings) -> Self {
        Self::of::<W>(settings, None).await
    }

    /// Without a record of events: they go to a hub.
    pub(crate) async fn with_hub<W: Way>(settings: ChatSettings) -> Self {
        Self::build::<W>(settings, None, false).await
    }

    pub(crate) async fn of<W: Way>(
        settings: ChatSettings,
        ids: Option<Arc<dyn MessageIds>>,
    ) -> Self {
        Self::build::<W>(settings, ids, true).await
    }

    async fn build<W: Way>(
        settings: ChatSettings,
        ids: Option<Arc<dyn MessageIds>>,
        records: bool,
    ) -> Self {
        let start = UtcTimestamp::parse(START).unwrap();
        let clock = TravellingClock::starting_at(TimestampMs(start.ms()));
        // A hub waits while others work, so there a sleep takes time instead of moving the clock.
        let environment = match records {
            true => Environment::travelling(Arc::clone(&clock), 7),
            false => Environment::simulated(Arc::clone(&clock), 7),
        };
        let engine = Engine::simulated(environment.clone()).await.unwrap();
        let (account, server) = W::account(&engine).await;
        let faults = Faults::new();
        let memory = Arc::new(MemoryEphemeral::new(environment.clone()));
        let redis = match std::env::var_os("CHAT_TESTS_REDIS") {
            Some(_) => RedisServer::start("a whole test").await,
            None => None,
        };
        let settings = match &redis {
            Some(redis) => redis.settings(settings),
            None => settings,
        };
        let ephemeral: Arc<dyn EphemeralStore> = match &redis {
            Some(_) => {
                Arc::new(RedisEphemeral::open(&settings.redis, environment.clone()).unwrap())
            }
            None => memory.clone(),
        };
        let (texts, sent) = (Texts::default(), SentEvents::default());
        let parts = ChatParts {
            // Without it the chat opens the Redis of its settings, as a service does.
            ephemeral: redis.is_none().then(|| ephemeral.clone()),
            sender: Some(Arc::new(texts.clone())),
            ids,
            ..ChatParts::default()
        };
        let faulty = account.with_faults(faults.clone());
        let chat = Chat::open(faulty, settings, environment.clone(), parts).await.unwrap();
        chat.seed().await.unwrap();
        if records {
            chat.broadcast_by(Arc::new(sent.clone()));
        }
        let _server = server;
        Self {
            clock,
            environment,
            account,
            ephemeral,
            memory,
            redis,
            texts,
            sent,
            faults,
            chat,
            _server,
        }
    }

    /// The same data and ephemeral state, opened by another process.
    pub(crate) async fn reopened(&self, settings: ChatSettings) -> chat::Result<Chat> {
        let parts = ChatParts {
            ephemeral: self.redis.is_none().then(|| self.ephemeral.clone()),
            sender: Some(Arc::new(self.texts.clone())),
            ..ChatParts::default()
        };
        let settings = match &self.redis {
            Some(redis) => redis.settings(settings),
            None => settings,
        };
        Chat::open(self.account.clone(), settings, self.environment.clone(), parts).await
    }

    /// Lets time pass, for keys in Redis, too.
    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
        if let Some(redis) = &self.redis {
            redis.age(Duration::from_secs(seconds));
        }
    }

    /// The keys of ephemeral state.
    pub(crate) async fn ephemeral_keys(&self) -> Vec<String> {
        match &self.redis {
            Some(redis) => redis.keys().await,
            None => self.memory.keys(),
        }
    }

    pub(crate) async fn member(&self, name: &str) -> ChatMember {
        self.chat.member(name).await.unwrap()
    }

    pub(crate) async fn send(&self, from: &str, room_name: &str, content: &str) -> MessageView {
        let member = self.member(from).await;
        self.chat.send(&member, message(room_name, content)).await.unwrap().value.view
    }
}

pub(crate) fn message(room_name: &str, content: &str) -> SendRequest {
    let (room, content) = (room(room_name), content.to_owned());
    SendRequest { room, content, correlation_id: None, reply_to: None }
}

pub(crate) fn correlated(room_name: &str, content: &str, correlation_id: &str) -> SendRequest {
    let correlation_id = Some(correlation_id.to_owned());
    SendRequest { correlation_id, ..message(room_name, content) }
}

pub(crate) fn room(name: &str) -> RoomName {
    RoomName::parse(name).unwrap()
}

pub(crate) fn user(name: &str) -> UserName {
    UserName::parse(name).unwrap()
}
