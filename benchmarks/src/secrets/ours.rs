//! Our side: the tracker on a folder, with platforms in memory that take their time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use client::Account;
use engine::Engine;
use model::Json;
use secret_migration::{
    ClusterName, ExpectedVersion, HashiSecrets, MappingInput, MigrationSettings, NamespaceName,
    NoRollout, PlatformError, PlatformFailure, Platforms, RollbackOptions, RunScope, SecretData,
    SecretLocation, SecretMigration, SecretSource, SecretTarget, SecretVersion, SourceReference,
    SourceSecret, TargetSecret, TrackedWorkload, UtcTimestamp, WorkloadKey,
};
use storage_lsm::Durability;

use super::report::SecretsSide;
use super::run::{PATHS, SOURCE, SecretsOptions};
use crate::meter::{cpu_of_process, now};
use crate::{Result, data, progress};

/// The tail of the migrated workloads that is rolled back while the others are migrated.
const ROLLBACKS: usize = 50;

fn secret() -> std::result::Result<SecretData, PlatformError> {
    SecretData::parse(br#"{"user":"benchmark","password":"0123456789abcdef"}"#).map_err(|why| {
        PlatformError { failure: PlatformFailure::Garbage { why }, subject: String::new() }
    })
}

/// Answers every path after its time.
struct SlowSource;

#[async_trait]
impl SecretSource for SlowSource {
    async fn read(
        &self,
        _: &SecretLocation,
        _: Option<u64>,
    ) -> std::result::Result<SourceSecret, PlatformError> {
        tokio::time::sleep(SOURCE).await;
        Ok(SourceSecret { version: 1, data: secret()? })
    }

    async fn live_version(&self, _: &SecretLocation) -> std::result::Result<u64, PlatformError> {
        tokio::time::sleep(SOURCE).await;
        Ok(1)
    }
}

/// Keeps only versions.
#[derive(Default)]
struct QuickTarget(Mutex<BTreeMap<String, u64>>);

#[async_trait]
impl SecretTarget for QuickTarget {
    async fn read(&self, path: &str) -> std::result::Result<Option<TargetSecret>, PlatformError> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        Ok(match known {
            Some(version) => Some(TargetSecret { version: version.into(), data: secret()? }),
            None => None,
        })
    }

    async fn write(
        &self,
        path: &str,
        _: &SecretData,
        _: &ExpectedVersion,
    ) -> std::result::Result<SecretVersion, PlatformError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), 1);
        Ok(1.into())
    }
}

pub(super) async fn run(options: SecretsOptions) -> Result<SecretsSide> {
    let folder = tempfile::Builder::new().prefix("benchmarks-secrets").tempdir()?;
    let engine = data::open(folder.path(), Durability::Synced, None).await?;
    let account = Account::embedded(engine.clone()).await?;
    let environment = account.environment().clone();
    let platforms = Platforms {
        source: Arc::new(SlowSource),
        target: Arc::new(QuickTarget::default()),
        rollout: Arc::new(NoRollout),
    };
    let settings = MigrationSettings { workers: options.workers, ..MigrationSettings::default() };
    let system = SecretMigration::open(account.clone(), settings, environment, platforms).await?;
    progress::step("planisphere: workloads");
    let mut clusters = Vec::new();
    for number in 0..options.clusters {
        clusters.push(fill(&system, number, options.workloads).await?);
    }
    let first = clusters.first().ok_or("no cluster")?.clone();
    let pending_before = system.pending(&first, None).await?.charge;
    let before = (now(), cpu_of_process("self")?, units(&engine));
    progress::step("planisphere: migrating");
    let is_over = Arc::new(AtomicBool::new(false));
    let rollbacks =
        tokio::spawn(roll_back_some(system.clone(), first.clone(), Arc::clone(&is_over)));
    let mut rounds = tokio::task::JoinSet::new();
    for cluster in clusters.clone() {
        let system = system.clone();
        rounds.spawn(async move { system.run_cluster(&cluster, RunScope::All, "benchmark").await });
    }
    let mut migrated = 0;
    while let Some(round) = rounds.join_next().await {
        migrated += round??.migrated;
    }
    let wall = now().saturating_duration_since(before.0);
    let cpu = cpu_of_process("self")?.saturating_sub(before.1);
    is_over.store(true, Ordering::SeqCst);
    let rollback_ms = rollbacks.await??;
    let total = (options.clusters * options.workloads) as u64;
    if migrated != total {
        return Err(format!("{migrated} of {total} workloads were migrated").into());
    }
    let pending_after = system.pending(&first, None).await?.charge;
    let side = SecretsSide {
        wall,
        cpu,
        units: Some((units(&engine) - before.2) / total as f64),
        pending_units: Some((pending_before, pending_after)),
        rollback_p99_ms: rollback_ms,
    };
    account.close().await?;
    Ok(side)
}

async fn fill(system: &SecretMigration, number: usize, workloads: usize) -> Result<ClusterName> {
    let cluster = ClusterName::parse(format!("cluster-{number:02}"))?;
    let input = MappingInput {
        smp_address: None,
        smp_path: "apps/shop".to_owned(),
        environment: None,
        temporary: false,
        source_created_at: None,
    };
    let namespaces = vec![(NamespaceName::parse("shop")?, input)];
    system.sync_namespaces(&cluster, namespaces).await?;
    let now = UtcTimestamp::now(system.account().environment());
    for workload in 0..workloads {
        let name = format!("workload-{workload:06}");
        let key = WorkloadKey::parse(cluster.as_str(), "shop", &name)?;
        let items = (0..PATHS).map(|path| SourceReference {
            path: format!("{cluster}/{name}/{path}"),
            keys: vec!["password".to_owned()],
            ..SourceReference::default()
        });
        let secrets = HashiSecrets {
            mount: "secret".to_owned(),
            items: items.collect(),
            ..HashiSecrets::default()
        };
        let document = TrackedWorkload::discovered(&key, None, secrets, "benchmark", now);
        system.containers().workloads.create(&key.partition_key(), &document).await?;
    }
    Ok(cluster)
}

/// Rolls back workloads that are migrated, one after another, while the workers go on. Returns the 99th percentile.
async fn roll_back_some(
    system: SecretMigration,
    cluster: ClusterName,
    is_over: Arc<AtomicBool>,
) -> Result<Option<f64>> {
    let mut taken = Vec::new();
    for number in 0..ROLLBACKS {
        let name = format!("workload-{number:06}");
        let key = WorkloadKey::parse(cluster.as_str(), "shop", &name)?;
        // The source is not asked: its time is not ours.
        let options = RollbackOptions { force: true, ..RollbackOptions::default() };
        while !is_over.load(Ordering::SeqCst) {
            let begin = now();
            if system.roll_back(&key, &options, "benchmark").await.is_ok() {
                taken.push(now().saturating_duration_since(begin).as_secs_f64() * 1e3);
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    taken.sort_by(f64::total_cmp);
    let place = (taken.len() * 99).div_ceil(100).saturating_sub(1);
    Ok(taken.get(place).copied())
}

/// Request units of all containers so far.
fn units(engine: &Engine) -> f64 {
    let usage = engine.usage();
    let members = |json: &Json, name: &str| -> Vec<Json> {
        json.get(name).and_then(Json::as_array).unwrap_or_default().to_vec()
    };
    let mut sum = 0.0;
    for container in members(&usage, "containers") {
        for operation in members(&container, "operations") {
            if let Some(Json::Number(number)) = operation.get("requestUnits") {
                sum += number.as_f64();
            }
        }
    }
    sum
}
