//! The environment of one test: an engine on a test clock, the system on an account, scripted platforms.
//!
//! An account is embedded, or connected over HTTP to a server of our own on a socket.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use client::{Account, Environment, TimestampMs, TravellingClock};
use engine::{Engine, EngineSettings};
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use secret_migration::{
    ClusterName, HashiSecrets, MappingInput, MigrationSettings, NamespaceName, Platforms,
    RoundReport, RunScope, SecretMigration, SourceReference, TrackedWorkload, UtcTimestamp,
    WorkloadKey,
};
use service::settings::Secret;
use storage::memory::MemoryStore;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::platform::{Restarts, Target, Vault};

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

pub(crate) struct World {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) environment: Environment,
    pub(crate) account: Account,
    pub(crate) vault: Vault,
    pub(crate) target: Target,
    pub(crate) restarts: Restarts,
    pub(crate) system: SecretMigration,
    _server: Option<oneshot::Sender<()>>,
}

/// The cluster of most tests.
pub(crate) const CLUSTER: &str = "dev-1";
const START: &str = "2025-06-10T09:00:00.000Z";

pub(crate) fn settings() -> MigrationSettings {
    MigrationSettings {
        fingerprint_secret: Secret::new("the key of the tests"),
        production_clusters: vec!["prod-*".to_owned()],
        ..MigrationSettings::default()
    }
}

impl World {
    pub(crate) async fn new<W: Way>() -> Self {
        Self::with::<W>(settings()).await
    }

    pub(crate) async fn with<W: Way>(settings: MigrationSettings) -> Self {
        let start = UtcTimestamp::parse(START).unwrap();
        let clock = TravellingClock::starting_at(TimestampMs(start.ms()));
        let environment = Environment::travelling(Arc::clone(&clock), 7);
        let engine = Engine::simulated(environment.clone()).await.unwrap();
        Self::of::<W>(settings, clock, environment, &engine).await
    }

    /// On an engine that refuses what is above the throughput of the containers.
    pub(crate) async fn throttled<W: Way>() -> (Self, Engine) {
        let start = UtcTimestamp::parse(START).unwrap();
        let clock = TravellingClock::starting_at(TimestampMs(start.ms()));
        let environment = Environment::travelling(Arc::clone(&clock), 7);
        let enforcing = EngineSettings {
            enforce_throughput: true,
            maintenance: false,
            ..EngineSettings::default()
        };
        let store = Arc::new(MemoryStore::new());
        let engine = Engine::open(store, environment.clone(), enforcing).await.unwrap();
        (Self::of::<W>(settings(), clock, environment, &engine).await, engine)
    }

    /// On the clock of the machine: for what waits while others work.
    pub(crate) async fn in_real_time<W: Way>() -> Self {
        let clock = TravellingClock::starting_at(TimestampMs(0));
        let environment = Environment::system();
        let engine = Engine::simulated(environment.clone()).await.unwrap();
        Self::of::<W>(settings(), clock, environment, &engine).await
    }

    async fn of<W: Way>(
        settings: MigrationSettings,
        clock: Arc<TravellingClock>,
        environment: Environment,
        engine: &Engine,
    ) -> Self {
        let (account, server) = W::account(engine).await;
        let (vault, target, restarts) = (Vault::default(), Target::default(), Restarts::default());
        let platforms = Platforms {
            source: Arc::new(vault.clone()),
            target: Arc::new(target.clone()),
            rollout: Arc::new(restarts.clone()),
        };
        let system =
            SecretMigration::open(account.clone(), settings, environment.clone(), platforms);
        let system = system.await.unwrap();
        Self { clock, environment, account, vault, target, restarts, system, _server: server }
    }

    /// The same data, opened by another process.
    pub(crate) async fn reopened(&self) -> SecretMigration {
        let platforms = Platforms {
            source: Arc::new(self.vault.clone()),
            target: Arc::new(self.target.clone()),
            rollout: Arc::new(self.restarts.clone()),
        };
        let settings = self.system.settings().clone();
        let environment = self.environment.clone();
        SecretMigration::open(self.account.clone(), settings, environment, platforms).await.unwrap()
    }

    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    /// A synchronisation of one namespace, `shop`, of a cluster.
    pub(crate) async fn sync(&self, cluster_name: &str) {
        let input = mapping("apps/shop");
        let namespaces = vec![(NamespaceName::parse("shop").unwrap(), input)];
        self.system.sync_namespaces(&cluster(cluster_name), namespaces).await.unwrap();
    }

    /// A pending workload of the namespace `shop` with these paths, which also are in the Vault.
    pub(crate) async fn add(&self, cluster: &str, name: &str, paths: &[&str]) -> WorkloadKey {
        let key = WorkloadKey::parse(cluster, "shop", name).unwrap();
        for path in paths {
            self.vault.put(&format!("secret/{path}"), &[("user", path), ("password", "hush")]);
        }
        let items = paths.iter().map(|path| SourceReference {
            path: (*path).to_owned(),
            keys: vec!["password".to_owned()],
            ..SourceReference::default()
        });
        let secrets = HashiSecrets {
            mount: "secret".to_owned(),
            items: items.collect(),
            ..HashiSecrets::default()
        };
        let now = UtcTimestamp::now(&self.environment);
        let workload = TrackedWorkload::discovered(&key, None, secrets, "test", now);
        let workloads = &self.system.containers().workloads;
        workloads.create(&key.partition_key(), &workload).await.unwrap();
        key
    }

    /// A synchronised cluster with one pending workload of three paths.
    pub(crate) async fn with_workload<W: Way>() -> (Self, WorkloadKey) {
        Self::new::<W>().await.and_workload().await
    }

    pub(crate) async fn and_workload(self) -> (Self, WorkloadKey) {
        self.sync(CLUSTER).await;
        let key = self.add(CLUSTER, "cart", &["cart/db", "cart/api", "cart/mail"]).await;
        (self, key)
    }

    pub(crate) async fn run(&self, cluster_name: &str) -> RoundReport {
        self.system.run_cluster(&cluster(cluster_name), RunScope::All, "worker").await.unwrap()
    }

    pub(crate) async fn workload(&self, key: &WorkloadKey) -> TrackedWorkload {
        self.system.workload(key).await.unwrap().0
    }

    pub(crate) async fn actions(&self, key: &WorkloadKey) -> Vec<String> {
        let subject = format!("{}/{}", key.namespace, key.name);
        let entries = self.system.audit(&key.cluster, Some(&subject), None).await.unwrap();
        entries.into_iter().map(|entry| entry.action).collect()
    }

    /// Checks that the checker finds nothing.
    pub(crate) async fn assert_sound(&self, cluster_name: &str) {
        let findings = self.system.check(&cluster(cluster_name)).await.unwrap();
        assert!(findings.is_empty(), "{findings:?}");
    }
}

pub(crate) fn cluster(name: &str) -> ClusterName {
    ClusterName::parse(name).unwrap()
}

pub(crate) fn mapping(path: &str) -> MappingInput {
    MappingInput {
        smp_address: None,
        smp_path: path.to_owned(),
        environment: None,
        temporary: false,
        source_created_at: None,
    }
}
