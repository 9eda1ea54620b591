//! Our side as a system: opened on an engine, filled with workloads, and what it has cost.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use client::Account;
use engine::{Engine, EngineSettings, Environment};
use model::{ChargeProfile, Json};
use secret_migration::{
    ClusterName, HashiSecrets, MappingInput, MigrationSettings, NamespaceName, NoRollout,
    Platforms, RunScope, SecretMigration, SourceReference, TrackedWorkload, UtcTimestamp,
    WorkloadKey,
};
use storage::memory::MemoryStore;
use tokio::task::JoinSet;

use super::platforms::{QuickTarget, SlowSource};
use super::run::PATHS;
use crate::Result;

/// Workloads that the charge per workload is taken from. It does not depend on their number.
const CHARGED: usize = 200;
const CREATES_AT_ONCE: usize = 64;

/// The tracker on an engine, with a source that takes so long for each path.
pub(super) async fn open(
    engine: &Engine,
    workers: usize,
    source: Duration,
) -> Result<(Account, SecretMigration)> {
    let account = Account::embedded(engine.clone()).await?;
    let environment = account.environment().clone();
    let platforms = Platforms {
        source: Arc::new(SlowSource(source)),
        target: Arc::new(QuickTarget::default()),
        rollout: Arc::new(NoRollout),
    };
    let settings = MigrationSettings { workers, ..MigrationSettings::default() };
    let system = SecretMigration::open(account.clone(), settings, environment, platforms).await?;
    Ok((account, system))
}

/// Request units of everything that is done for one workload, in a profile.
pub(super) async fn charge_of_workload(profile: ChargeProfile) -> Result<f64> {
    let settings = EngineSettings { charge_profile: profile, ..EngineSettings::default() };
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(store, Environment::system(), settings).await?;
    let (account, system) = open(&engine, 1, Duration::ZERO).await?;
    let cluster = fill(&system, 0, CHARGED).await?;
    let before = units(&engine);
    let report = system.run_cluster(&cluster, RunScope::All, "benchmark").await?;
    let charge = units(&engine) - before;
    account.close().await?;
    if report.migrated != CHARGED as u64 {
        return Err(format!("{} of {CHARGED} workloads were migrated", report.migrated).into());
    }
    Ok(charge / CHARGED as f64)
}

/// The names of the workload with this number.
pub(super) fn key(cluster: &ClusterName, number: usize) -> Result<WorkloadKey> {
    Ok(WorkloadKey::parse(cluster.as_str(), "shop", &format!("workload-{number:06}"))?)
}

/// A cluster with pending workloads.
pub(super) async fn fill(
    system: &SecretMigration,
    number: usize,
    workloads: usize,
) -> Result<ClusterName> {
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
    add(system, &cluster, 0..workloads).await?;
    Ok(cluster)
}

/// More pending workloads of a cluster, named by their numbers.
pub(super) async fn add(
    system: &SecretMigration,
    cluster: &ClusterName,
    numbers: Range<usize>,
) -> Result<()> {
    let now = UtcTimestamp::now(system.account().environment());
    let mut creates = JoinSet::new();
    for number in numbers {
        if creates.len() >= CREATES_AT_ONCE
            && let Some(created) = creates.join_next().await
        {
            created??;
        }
        let key = key(cluster, number)?;
        let name = &key.name;
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
        let workloads = system.containers().workloads.clone();
        creates.spawn(async move {
            workloads.create(&key.partition_key(), &document).await.map(|_| ())
        });
    }
    while let Some(created) = creates.join_next().await {
        created??;
    }
    Ok(())
}

/// Request units of all containers so far.
pub(super) fn units(engine: &Engine) -> f64 {
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
