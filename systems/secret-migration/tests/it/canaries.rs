//! SM-A5: values planted in the source are nowhere but on the target: not in the store's files or documents, not in the
//! audit, not in errors, metrics, logs or traces, after runs, failures and crashes.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use client::{Account, Environment, Query};
use engine::Engine;
use secret_migration::{
    HashiSecrets, MappingInput, MigrationObserver, MigrationStep, Platforms, RollbackOptions,
    RolloutHealth, RunScope, SecretMigration, SourceReference, TrackedWorkload, UtcTimestamp,
    WorkloadKey,
};

use crate::platform::{Restarts, Target, Vault};
use crate::world::{CLUSTER, OverGateway, Way as _, cluster, mapping, settings};

const CANARIES: [&str; 3] = ["canary-tweety-4711", "canary-woodstock-0815", "canary-zazu-2342"];

/// Everything that is logged or traced, at every level.
#[derive(Clone, Default)]
struct Logs(Arc<Mutex<Vec<u8>>>);

impl Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct LogVisitor<'a>(&'a mut Logs);

impl tracing::field::Visit for LogVisitor<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0, "{field}={value:?}").unwrap();
    }
}

impl tracing::Subscriber for Logs {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        attributes.record(&mut LogVisitor(&mut self.clone()));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut LogVisitor(&mut self.clone()));
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut LogVisitor(&mut self.clone()));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

struct CrashAt(MigrationStep);

impl MigrationObserver for CrashAt {
    fn on_step(&self, step: MigrationStep, _: bool) {
        assert!(step != self.0, "killed at {step:?}, as planned");
    }
}

fn has_canary(bytes: &[u8]) -> Option<&'static str> {
    CANARIES
        .into_iter()
        .find(|canary| bytes.windows(canary.len()).any(|window| window == canary.as_bytes()))
}

fn search_files(folder: &Path, searched: &mut usize) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search_files(&path, searched);
        } else {
            *searched += 1;
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(has_canary(&bytes), None, "{}", path.display());
        }
    }
}

async fn add(system: &SecretMigration, vault: &Vault, name: &str) -> WorkloadKey {
    let key = WorkloadKey::parse(CLUSTER, "shop", name).unwrap();
    let pairs: Vec<_> = CANARIES.iter().map(|canary| ("key", *canary)).collect();
    vault.put(&format!("secret/{name}"), &pairs[..1]);
    vault.put(&format!("secret/{name}"), &pairs[1..]);
    let item = SourceReference { path: name.to_owned(), ..SourceReference::default() };
    let secrets =
        HashiSecrets { mount: "secret".to_owned(), items: vec![item], ..HashiSecrets::default() };
    let now = UtcTimestamp::now(&Environment::system());
    let workload = TrackedWorkload::discovered(&key, None, secrets, "test", now);
    system.containers().workloads.create(&key.partition_key(), &workload).await.unwrap();
    key
}

async fn runs_failures_and_crashes(account: &Account) -> Vec<String> {
    let (vault, target, restarts) = (Vault::default(), Target::default(), Restarts::default());
    let platforms = Platforms {
        source: Arc::new(vault.clone()),
        target: Arc::new(target.clone()),
        rollout: Arc::new(restarts.clone()),
    };
    let open = || {
        let (account, platforms) = (account.clone(), platforms.clone());
        async move {
            SecretMigration::open(account, settings(), Environment::system(), platforms)
                .await
                .unwrap()
        }
    };
    let system = open().await;
    let namespace = secret_migration::NamespaceName::parse("shop").unwrap();
    let input: MappingInput = mapping("apps/shop");
    system.sync_namespaces(&cluster(CLUSTER), vec![(namespace, input)]).await.unwrap();
    let mut errors = Vec::new();
    let migrated = add(&system, &vault, "fine").await;
    system.run_cluster(&cluster(CLUSTER), RunScope::All, "w").await.unwrap();
    assert_eq!(target.data("apps/shop/secret/fine")["key"], format!("\"{}\"", CANARIES[2]));
    // A failure of a write, a foreign value on the target, an unhealthy workload, a rollback without a source.
    target.fail_path("refused");
    add(&system, &vault, "refused").await;
    target.put("apps/shop/secret/foreign", &[("key", CANARIES[0])]);
    add(&system, &vault, "foreign").await;
    restarts.health(RolloutHealth::Failing("503".to_owned()));
    add(&system, &vault, "ill").await;
    let report = system.run_cluster(&cluster(CLUSTER), RunScope::All, "w").await.unwrap();
    assert_eq!((report.failed.len(), report.rolled_back.len()), (2, 1), "{report:?}");
    errors.push(format!("{report:?}"));
    vault.delete("secret/fine");
    let refused = system.roll_back(&migrated, &RollbackOptions::default(), "ann").await;
    errors.push(format!("{:?}", refused.unwrap_err()));
    // Crashes with values in hand: the panic and its text.
    restarts.health(RolloutHealth::Healthy);
    for step in MigrationStep::ALL {
        add(&system, &vault, &format!("crash-{}", step.name())).await;
        let victim = open().await;
        victim.observe_steps(Arc::new(CrashAt(step)));
        let crashed = tokio::spawn(async move {
            victim.run_cluster(&cluster(CLUSTER), RunScope::All, "victim").await.unwrap();
        });
        let panic = crashed.await.unwrap_err().into_panic();
        errors.push(format!("{:?}", panic.downcast_ref::<String>()));
    }
    errors.push(format!("{:?}", system.check_drift(&cluster(CLUSTER), true, "ann").await.unwrap()));
    errors.push(format!("{:?}", system.summary(&cluster(CLUSTER)).await.unwrap()));
    errors.push(format!("{:?}", system.audit(&cluster(CLUSTER), None, None).await.unwrap()));
    errors.push(format!("{:?}", system.totals()));
    errors.extend(documents(&system).await);
    errors
}

/// All documents of the system.
async fn documents(system: &SecretMigration) -> Vec<String> {
    let containers = system.containers();
    let mut documents = Vec::new();
    for container in [
        &containers.workloads,
        &containers.namespaces,
        &containers.audit,
        &containers.waves,
        &containers.leases,
    ] {
        let all = Query::text("SELECT * FROM c").fan_out("the search is for everything");
        let found: Vec<serde_json::Value> = container.query(&all).await.unwrap().value;
        documents.extend(found.iter().map(ToString::to_string));
    }
    assert!(documents.len() > 50, "{} documents", documents.len());
    documents
}

/// What all tests of this program log, from the first call on. For all threads: other tests make the same calls, and a
/// call is cached as unheard if the first thread that made it had no listener.
fn logs() -> &'static Logs {
    static LOGS: OnceLock<Logs> = OnceLock::new();
    LOGS.get_or_init(|| {
        let logs = Logs::default();
        tracing::subscriber::set_global_default(logs.clone()).unwrap();
        logs
    })
}

fn check(errors: &[String]) {
    for error in errors {
        assert_eq!(has_canary(error.as_bytes()), None, "{error}");
    }
    let logged = logs().0.lock().unwrap().clone();
    assert!(logged.len() > 1_000, "the log was heard: {} bytes", logged.len());
    assert_eq!(has_canary(&logged), None);
}

#[tokio::test]
async fn sm_a5_no_planted_value_is_found_anywhere() {
    logs();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    let account = Account::embedded(place.as_path()).await.unwrap();
    let errors = runs_failures_and_crashes(&account).await;
    account.close().await.unwrap();
    check(&errors);
    let mut searched = 0;
    search_files(&place, &mut searched);
    assert!(searched > 3, "{searched} files");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a5_no_planted_value_is_found_anywhere_over_our_gateway() {
    logs();
    let engine = Engine::simulated(Environment::system()).await.unwrap();
    let (account, _server) = OverGateway::account(&engine).await;
    check(&runs_failures_and_crashes(&account).await);
}
