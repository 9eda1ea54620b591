//! An account in memory with a filled source, on a clock that need not wait, and checkpoints in memory.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use client::{
    Account, Clock, Container, ContainerProperties, Environment, Faults, Json, PartitionKey,
    PartitionKeyDefinition, Query, Randomness, Spawner, StorageLocation, TravellingClock,
};
use model::ChangeFeedPolicy;
use serde_json::{Value, json};
use service::copy::{
    Checkpoint, CheckpointStore, ContainerCopy, CopyError, CopyPlan, CopySummary, StopCondition,
    Transform,
};

/// What a test stands on.
pub(crate) struct Fixture {
    /// Fails as planned.
    pub(crate) faults: Faults,
    /// Every wait, in its order.
    pub(crate) waits: Arc<Mutex<Vec<Duration>>>,
    /// `shop/orders`, partitioned by `/customer`.
    pub(crate) from: Container,
    /// `shop/orders-v2`, which does not exist yet.
    pub(crate) to: Container,
    pub(crate) kept: Kept,
}

/// Checkpoints in memory; they can fail.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) last: Mutex<Option<Checkpoint>>,
    /// How many more are kept before one fails.
    pub(crate) room: Mutex<Option<u32>>,
}

impl CheckpointStore for Kept {
    fn load(&self) -> Result<Option<Checkpoint>, String> {
        Ok(self.last.lock().unwrap().clone())
    }

    fn save(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        match &mut *self.room.lock().unwrap() {
            Some(0) => return Err("no room".to_owned()),
            Some(room) => *room -= 1,
            None => {}
        }
        *self.last.lock().unwrap() = Some(checkpoint.clone());
        Ok(())
    }
}

struct Waiting {
    clock: Arc<TravellingClock>,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl Spawner for Waiting {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        tokio::spawn(task);
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let (clock, waits) = (Arc::clone(&self.clock), Arc::clone(&self.waits));
        Box::pin(async move {
            clock.travel(duration);
            waits.lock().unwrap().push(duration);
            tokio::task::yield_now().await;
        })
    }
}

struct Same;

impl Randomness for Same {
    fn next(&self) -> u64 {
        0
    }
}

impl Fixture {
    /// With this many orders of ten customers.
    pub(crate) async fn with(orders: usize) -> Self {
        let account = Account::embedded(StorageLocation::Memory).await.unwrap();
        let clock = TravellingClock::starting_at(account.environment().now());
        let waits = Arc::<Mutex<Vec<Duration>>>::default();
        let spawner = Waiting { clock: Arc::clone(&clock), waits: Arc::clone(&waits) };
        let clock: Arc<dyn Clock> = clock;
        let environment = Environment::new(clock, Arc::new(Same), Arc::new(spawner));
        let faults = Faults::new();
        let account = account.with_environment(environment).with_faults(faults.clone());
        let database = account.database("shop").unwrap();
        database.create_if_missing(None).await.unwrap();
        let from = database.container("orders").unwrap();
        let key = PartitionKeyDefinition::single("/customer").unwrap();
        from.create_if_missing(from.properties(key), None).await.unwrap();
        let to = database.container("orders-v2").unwrap();
        let fixture = Self { faults, waits, from, to, kept: Kept::default() };
        for number in 0..orders {
            fixture.put(order(number)).await;
        }
        fixture
    }

    /// Lets the source keep all versions for so long; none keeps none.
    pub(crate) async fn keep_versions(&self, minutes: u32) {
        let before = self.from.read_properties().await.unwrap().value;
        let change_feed_policy = Some(ChangeFeedPolicy::new(minutes));
        let after = ContainerProperties { change_feed_policy, ..before };
        self.from.replace_properties(after).await.unwrap();
    }

    pub(crate) async fn put(&self, order: Value) {
        let key = PartitionKey::from(order["customer"].as_str().unwrap());
        self.from.upsert(&key, &order, None).await.unwrap();
    }

    /// From `/customer` to `/city`.
    pub(crate) fn plan(&self) -> CopyPlan {
        let mut plan = CopyPlan::new(self.from.clone(), self.to.clone());
        plan.partition_key = Some(PartitionKeyDefinition::single("/city").unwrap());
        plan.page_items_max = 10;
        plan
    }

    pub(crate) async fn copy(&self) -> Result<CopySummary, CopyError> {
        self.copy_by(self.plan()).await
    }

    pub(crate) async fn copy_by(&self, plan: CopyPlan) -> Result<CopySummary, CopyError> {
        ContainerCopy::prepare(plan).await?.run(&self.kept, StopCondition::CaughtUp, &|_| {}).await
    }

    pub(crate) async fn target_items(&self) -> Vec<Value> {
        let all = Query::text("SELECT * FROM c").fan_out("a test looks at everything");
        self.to.query(&all).await.unwrap().value
    }
}

pub(crate) fn order(number: usize) -> Value {
    let (customer, city) = (format!("c{}", number % 10), format!("city{}", number % 3));
    json!({"id": format!("o{number}"), "customer": customer, "city": city, "total": number})
}

/// Sets one property, for tests of what stands on a transform.
pub(crate) struct Set(pub(crate) &'static str, pub(crate) &'static str);

impl Transform for Set {
    fn apply(&self, item: Json) -> Result<Json, String> {
        let Json::Object(mut item) = item else { return Err("no object".to_owned()) };
        item.insert(self.0, self.1);
        Ok(Json::Object(item))
    }

    fn description(&self) -> String {
        format!("{}={}", self.0, self.1)
    }
}
