//! The environment of one test: an engine on a test clock, the system on an account, its HTTP interface on a socket.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use client::{Account, Environment, TimestampMs, TravellingClock};
use engine::Engine;
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use worlds::{ChargeMeter, UtcTimestamp, WorldAccess, WorldId, WorldUser, Worlds, WorldsSettings};

use crate::site::{Answer, Site};

pub(crate) const START: &str = "2026-03-01T10:00:00.000Z";

/// How the system reaches the engine.
#[async_trait]
pub(crate) trait Way: Send + Sync + 'static {
    async fn account(engine: &Engine) -> (Account, Option<oneshot::Sender<()>>);
}

/// An account inside the program.
pub(crate) struct Embedded;

/// An account that is connected over HTTP to a server of ours.
pub(crate) struct OverGateway;

pub(crate) struct Stage {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) system: Worlds,
    pub(crate) site: Site,
    _server: Option<oneshot::Sender<()>>,
}

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
        let (stop, stopped) = oneshot::channel::<()>();
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
        (Account::connect(place.as_str()).await.unwrap(), Some(stop))
    }
}

impl Stage {
    pub(crate) async fn new<W: Way>() -> Self {
        Self::with::<W>(WorldsSettings::default()).await
    }

    pub(crate) async fn with<W: Way>(settings: WorldsSettings) -> Self {
        let start = UtcTimestamp::parse(START).unwrap();
        let clock = TravellingClock::starting_at(TimestampMs(start.ms()));
        let environment = Environment::travelling(Arc::clone(&clock), 7);
        let engine = Engine::simulated(environment.clone()).await.unwrap();
        let (account, server) = W::account(&engine).await;
        let system = Worlds::open(account, settings, environment.clone()).await.unwrap();
        let site = Site::of(&system, &environment).await;
        Self { clock, system, site, _server: server }
    }

    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    pub(crate) fn travel_days(&self, days: u64) {
        self.travel(days * 24 * 3600);
    }

    /// Lets the worker do everything there is to do.
    pub(crate) async fn work(&self) {
        let worker = self.system.tree_worker("worker").await.unwrap();
        loop {
            let round = worker.run_once().await.unwrap();
            if round.leases == 0 {
                // Another worker had the lease; it ends if nobody renews it.
                self.travel(120);
                continue;
            }
            let operations = self.system.run_operations("worker").await.unwrap();
            if round.changes == 0 && operations == 0 {
                break;
            }
        }
    }

    pub(crate) async fn call(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        self.site.call(Some(user), method, path, body, &[]).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("ann", "GET", path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.call("ann", "POST", path, Some(body)).await
    }

    /// Creates a world of ann; returns the path of its routes.
    pub(crate) async fn create_world(&self, name: &str) -> String {
        let created = self.post("/api/v1/worlds", json!({ "name": name })).await;
        assert_eq!(created.status, 201, "{}", created.body);
        format!("/api/v1/worlds/{}", created.data()["id"].as_str().unwrap())
    }

    /// Creates an entity and returns its id; in the World if `parent` is empty.
    pub(crate) async fn create(&self, world: &str, parent: &str, kind: &str, name: &str) -> String {
        let mut body = json!({ "entityType": kind, "name": name });
        if !parent.is_empty() {
            body["parentId"] = json!(parent);
        }
        let created = self.post(&format!("{world}/entities"), body).await;
        assert_eq!(created.status, 201, "{}", created.body);
        created.data()["id"].as_str().unwrap().to_owned()
    }

    /// The names of the tree as nested lists.
    pub(crate) async fn tree(&self, world: &str) -> Value {
        fn names(node: &Value) -> Value {
            let children: Vec<Value> =
                node["children"].as_array().unwrap().iter().map(names).collect();
            json!([node["name"], children])
        }
        let answer = self.get(&format!("{world}/hierarchy")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        names(&answer.data()["root"])
    }

    /// The right of ann to the world of a path.
    pub(crate) async fn access(&self, world: &str) -> WorldAccess {
        let id = WorldId::parse(world.rsplit('/').next().unwrap()).unwrap();
        let user = WorldUser::parse("ann").unwrap();
        self.system.access(&user, &id, &mut ChargeMeter::default()).await.unwrap()
    }
}

/// The world of WB-A1: Eldoria, Arcanis, Valoria, Silverwood, Elara. Returns the path and the four ids.
pub(crate) async fn eldoria(stage: &Stage) -> (String, [String; 4]) {
    let world = stage.create_world("Eldoria").await;
    let arcanis = stage.create(&world, "", "Continent", "Arcanis").await;
    let valoria = stage.create(&world, &arcanis, "Country", "Valoria").await;
    let silverwood = stage.create(&world, &valoria, "Region", "Silverwood").await;
    let elara = stage.create(&world, &silverwood, "Character", "Elara").await;
    (world, [arcanis, valoria, silverwood, elara])
}
