//! Our side as a system: opened on an engine, filled with workloads, and what it has cost.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use client::Account;
use engine::{Engine, EngineSettings, Environment};
use model::{ChargeProfile, Json};
use secret_migration::{
    ClusterName, MigrationSettings, RunScope, SecretMigration, WorkloadKey, sample,
};
use storage::memory::MemoryStore;
use tokio::task::JoinSet;

use super::run::PATHS;
use crate::Result;

/// Workloads that the charge per workload is taken from. It does not depend on their number.
const CHARGED: usize = 200;
const CREATES_AT_ONCE: usize = 64;

/// The tracker on an engine, with a source that takes so long for each request.
pub(super) async fn open(
    engine: &Engine,
    workers: usize,
    source: Duration,
) -> Result<SecretMigration> {
    let account = Account::embedded(engine.clone()).await?;
    let settings = MigrationSettings { workers, ..MigrationSettings::default() };
    Ok(sample::open(account, settings, source).await?)
}

/// Request units of everything that is done for one workload, in a profile.
pub(super) async fn charge_of_workload(profile: ChargeProfile) -> Result<f64> {
    let settings = EngineSettings { charge_profile: profile, ..EngineSettings::default() };
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(store, Environment::system(), settings).await?;
    let system = open(&engine, 1, Duration::ZERO).await?;
    let cluster = sample::add_cluster(&system, "charged").await?;
    add(&system, &cluster, 0..CHARGED).await?;
    let before = units(&engine);
    let report = system.run_cluster(&cluster, RunScope::All, "benchmark").await?;
    let charge = units(&engine) - before;
    system.account().close().await?;
    if report.migrated != CHARGED as u64 {
        return Err(format!("{} of {CHARGED} workloads were migrated", report.migrated).into());
    }
    Ok(charge / CHARGED as f64)
}

/// The names of the workload with this number.
pub(super) fn key(cluster: &ClusterName, number: usize) -> Result<WorkloadKey> {
    Ok(sample::workload_key(cluster, &name(number))?)
}

fn name(number: usize) -> String {
    format!("workload-{number:06}")
}

/// Pending workloads of a cluster, named by their numbers.
pub(super) async fn add(
    system: &SecretMigration,
    cluster: &ClusterName,
    numbers: Range<usize>,
) -> Result<()> {
    let mut creates = JoinSet::new();
    for number in numbers {
        if creates.len() >= CREATES_AT_ONCE
            && let Some(created) = creates.join_next().await
        {
            created??;
        }
        let (system, cluster) = (system.clone(), cluster.clone());
        creates.spawn(async move {
            sample::add_workload(&system, &cluster, &name(number), PATHS).await.map(|_| ())
        });
    }
    while let Some(created) = creates.join_next().await {
        created??;
    }
    Ok(())
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
