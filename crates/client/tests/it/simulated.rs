//! A world in which waiting costs no time: a sleep moves the clock and is remembered.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use client::{Account, Container, Environment, PartitionKeyDefinition, Spawner, TravellingClock};
use engine::{BoxedTask, Engine, EngineSettings, SeededRandomness};
use model::TimestampMs;

/// The waits of a simulated account, in their order.
#[derive(Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<Vec<Duration>>>);

impl Waits {
    pub(crate) fn all(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

struct TravellingSpawner {
    clock: Arc<TravellingClock>,
    waits: Waits,
}

impl Spawner for TravellingSpawner {
    fn spawn(&self, task: BoxedTask) {
        tokio::spawn(task);
    }

    fn sleep(&self, duration: Duration) -> BoxedTask {
        let (clock, waits) = (Arc::clone(&self.clock), self.waits.clone());
        Box::pin(async move {
            clock.travel(duration);
            waits.0.lock().unwrap().push(duration);
            tokio::task::yield_now().await;
        })
    }
}

/// An embedded account on a made-up clock, its orders (by `/customer`), and its waits.
pub(crate) async fn orders(seed: u64) -> (Account, Container, Waits) {
    let clock = TravellingClock::starting_at(TimestampMs(1_800_000_000_000));
    let waits = Waits::default();
    let spawner = TravellingSpawner { clock: Arc::clone(&clock), waits: waits.clone() };
    let randomness = Arc::new(SeededRandomness::new(seed));
    let environment = Environment::new(clock, randomness, Arc::new(spawner));
    let store = Arc::new(storage::memory::MemoryStore::new());
    // Maintenance would wait too, and its waits are not ours.
    let settings = EngineSettings { maintenance: false, ..EngineSettings::default() };
    let engine = Engine::open(store, environment, settings).await.unwrap();
    let account = Account::embedded(engine).await.unwrap();
    let database = account.database("shop").unwrap();
    database.create_if_missing(None).await.unwrap();
    let orders = database.container("orders").unwrap();
    let key = PartitionKeyDefinition::single("/customer").unwrap();
    orders.create_if_missing(orders.properties(key), None).await.unwrap();
    (account, orders, waits)
}

/// The same container, seen through another account value.
pub(crate) fn through(account: &Account) -> Container {
    account.database("shop").unwrap().container("orders").unwrap()
}
