//! The storage of one test: in memory, on an embedded account, or on an account behind a server of ours.

use std::sync::Arc;
use std::time::Duration;

use client::{Account, Environment, Faults, TimestampMs, TravellingClock};
use engine::Engine;
use event_store::{
    AccountStorage, AccountStoreOptions, DomainEvent, EventDraft, EventStore, EventTag,
    MemoryPayloads, MemoryStorage, MultiProjectionStateStore, StorageBundle, StoreScope,
};
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use serde_json::json;
use service::timestamp::UtcTimestamp;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const START: &str = "2026-01-05T10:00:00.000Z";

pub(crate) struct World {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) storage: StorageBundle,
    /// Absent in memory and on PostgreSQL.
    pub(crate) account: Option<Account>,
    pub(crate) faults: Faults,
    _server: Option<oneshot::Sender<()>>,
    #[cfg(feature = "postgres")]
    pub(crate) database: Option<crate::postgres::TestDatabase>,
}

/// Where an account is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccountPlace {
    Embedded,
    Gateway,
}

pub(crate) fn clock() -> Arc<TravellingClock> {
    TravellingClock::starting_at(TimestampMs(UtcTimestamp::parse(START).unwrap().ms()))
}

impl World {
    pub(crate) async fn memory() -> Self {
        let clock = clock();
        let environment = Environment::simulated(Arc::clone(&clock), 7);
        Self::of(clock, MemoryStorage::bundle(&environment), None, None)
    }

    pub(crate) async fn account() -> Self {
        Self::account_with(AccountStoreOptions::default()).await
    }

    pub(crate) async fn account_with(options: AccountStoreOptions) -> Self {
        let clock = clock();
        let engine = engine(&clock).await;
        let account = Account::embedded(engine).await.unwrap();
        Self::on_account(clock, account, options, None).await
    }

    pub(crate) async fn gateway() -> Self {
        Self::gateway_with(AccountStoreOptions::default()).await
    }

    /// An account inside of the process, or behind a server of ours.
    pub(crate) async fn account_at(place: AccountPlace, options: AccountStoreOptions) -> Self {
        match place {
            AccountPlace::Embedded => Self::account_with(options).await,
            AccountPlace::Gateway => Self::gateway_with(options).await,
        }
    }

    async fn gateway_with(options: AccountStoreOptions) -> Self {
        let clock = clock();
        let engine = engine(&clock).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        // Clients sign with the machine's clock, and the engine's clock travels.
        let settings =
            GatewaySettings { clock_skew_max_seconds: None, ..GatewaySettings::default() };
        let gateway = Gateway::new(engine, settings);
        tokio::spawn(async move {
            gateway
                .serve(listener, async {
                    let _ = stopped.await;
                })
                .await;
        });
        let place = format!("AccountEndpoint=http://{address}/;AccountKey={EMULATOR_KEY};");
        let account = Account::connect(place.as_str()).await.unwrap();
        let environment = Environment::simulated(Arc::clone(&clock), 7);
        let account = account.with_environment(environment);
        Self::on_account(clock, account, options, Some(stop)).await
    }

    async fn on_account(
        clock: Arc<TravellingClock>,
        account: Account,
        options: AccountStoreOptions,
        server: Option<oneshot::Sender<()>>,
    ) -> Self {
        let faults = Faults::new();
        let faulty = account.with_faults(faults.clone());
        let payloads = Arc::new(MemoryPayloads::default());
        let storage = AccountStorage::open(faulty, options, payloads).await.unwrap();
        let world = Self::of(clock, storage, Some(account), server);
        Self { faults, ..world }
    }

    fn of(
        clock: Arc<TravellingClock>,
        storage: StorageBundle,
        account: Option<Account>,
        server: Option<oneshot::Sender<()>>,
    ) -> Self {
        Self {
            clock,
            storage,
            account,
            faults: Faults::new(),
            _server: server,
            #[cfg(feature = "postgres")]
            database: None,
        }
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn on_database(
        clock: Arc<TravellingClock>,
        storage: StorageBundle,
        database: crate::postgres::TestDatabase,
    ) -> Self {
        Self { database: Some(database), ..Self::of(clock, storage, None, None) }
    }

    pub(crate) fn scope(&self, service: &str) -> StoreScope {
        let factories = self.storage.factories();
        StoreScope {
            events: factories.events.create_for_service(service).unwrap(),
            states: factories.states.create_for_service(service).unwrap(),
        }
    }

    /// The first events of a feed. On PostgreSQL it waits for transactions of other tests.
    pub(crate) async fn first_of_feed(&self, store: &EventStore) -> Vec<DomainEvent> {
        let mut reader = store.feed(None);
        loop {
            let events = reader.wait_for_page(Duration::from_millis(20)).await.unwrap();
            if !events.is_empty() {
                return events;
            }
        }
    }

    pub(crate) fn events(&self, service: &str) -> EventStore {
        self.scope(service).events
    }

    pub(crate) fn states(&self, service: &str) -> MultiProjectionStateStore {
        self.scope(service).states
    }
}

async fn engine(clock: &Arc<TravellingClock>) -> Engine {
    Engine::simulated(Environment::simulated(Arc::clone(clock), 7)).await.unwrap()
}

pub(crate) fn tag(text: &str) -> EventTag {
    EventTag::parse(text).unwrap()
}

/// An event of a type, with tags.
pub(crate) fn draft(event_type: &str, tags: &[&str]) -> EventDraft {
    let tags = tags.iter().map(|text| tag(text)).collect();
    EventDraft::new(event_type, json!({ "type": event_type }), tags)
}
