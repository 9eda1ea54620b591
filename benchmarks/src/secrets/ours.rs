//! Our side: the tracker on a folder that syncs every commit, with a source that takes its time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use secret_migration::{
    ClusterName, NewWave, RollbackOptions, RunScope, SecretMigration, WaveSelector, sample,
};
use storage_lsm::Durability;

use super::rollbacks::{PAUSE, ROLLBACKS_MAX, Rollbacks, wave_workloads};
use super::run::{SOURCE, SecretsSize};
use super::side::{PendingList, SecretsSide};
use super::system::{add, key, open};
use crate::meter::{cpu_of_process, now, wait_until_idle};
use crate::{Result, data, progress};

/// Pending workloads beside the finished ones when the pending list is measured: one page.
const PAGE: usize = 100;
/// Pages that the processor time of one is taken from; the kernel counts it in steps of 10 ms.
const PAGES: u32 = 200;

pub(super) async fn run(
    size: SecretsSize,
    workers: usize,
) -> Result<(SecretsSide, (PendingList, PendingList))> {
    let folder = tempfile::Builder::new().prefix("benchmarks-secrets").tempdir()?;
    let engine = data::open(folder.path(), Durability::Synced, None).await?;
    let system = open(&engine, workers, SOURCE).await?;
    let mut clusters = Vec::new();
    for number in 0..size.clusters {
        clusters.push(sample::add_cluster(&system, &format!("cluster-{number:02}")).await?);
    }
    let first = clusters.first().ok_or("no cluster")?.clone();
    add(&system, &first, 0..PAGE).await?;
    let pending_before = PendingList::measure(&system, &first).await?;
    add(&system, &first, PAGE..size.workloads).await?;
    for cluster in clusters.iter().skip(1) {
        add(&system, cluster, 0..size.workloads).await?;
    }
    progress::step("planisphere: migrating");
    let before = (now(), cpu_of_process("self")?);
    let migrated = migrate(&system, &clusters, RunScope::All).await?;
    let wall = now().saturating_duration_since(before.0);
    let cpu = cpu_of_process("self")?.saturating_sub(before.1);
    require(migrated, size.total())?;
    // The same number of pending workloads as before, now beside all the finished ones.
    let numbers = size.workloads..size.workloads + PAGE;
    add(&system, &first, numbers.clone()).await?;
    tokio::task::spawn_blocking(wait_until_idle).await??;
    let pending_after = PendingList::measure(&system, &first).await?;
    progress::step("planisphere: rollbacks beside a wave");
    add(&system, &first, numbers.end..size.workloads + wave_workloads(size)).await?;
    let rollbacks = roll_back_beside_a_wave(&system, &first, size).await?;
    system.account().close().await?;
    Ok((SecretsSide { wall, cpu, rollbacks }, (pending_before, pending_after)))
}

/// A number of workloads must be migrated.
pub(super) fn require(migrated: u64, expected: usize) -> Result<()> {
    if migrated == expected as u64 {
        return Ok(());
    }
    Err(format!("{migrated} of {expected} workloads were migrated").into())
}

async fn migrate(
    system: &SecretMigration,
    clusters: &[ClusterName],
    scope: RunScope,
) -> Result<u64> {
    let mut rounds = tokio::task::JoinSet::new();
    for cluster in clusters {
        let (system, cluster) = (system.clone(), cluster.clone());
        rounds.spawn(async move { system.run_cluster(&cluster, scope, "benchmark").await });
    }
    let mut migrated = 0;
    while let Some(round) = rounds.join_next().await {
        migrated += round??.migrated;
    }
    Ok(migrated)
}

/// Rolls migrated workloads back, one after another, while a wave of the same cluster runs.
async fn roll_back_beside_a_wave(
    system: &SecretMigration,
    cluster: &ClusterName,
    size: SecretsSize,
) -> Result<Rollbacks> {
    let selector =
        WaveSelector { cluster: cluster.clone(), namespaces: Vec::new(), labels: BTreeMap::new() };
    let name = "benchmark".to_owned();
    let wave = NewWave { name, selector, rate_per_minute: None, stop_at_error_ratio: Some(0.1) };
    let wave = system.create_wave(wave, "ann").await?;
    system.start_wave(&wave.id, "ann").await?;
    let is_over = Arc::new(AtomicBool::new(false));
    let running = {
        let (system, cluster, is_over) = (system.clone(), cluster.clone(), Arc::clone(&is_over));
        tokio::spawn(async move {
            let migrated = migrate(&system, &[cluster], RunScope::Requested).await;
            is_over.store(true, Ordering::SeqCst);
            migrated
        })
    };
    let mut taken = Vec::new();
    for number in 0..ROLLBACKS_MAX.min(size.workloads) {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let key = key(cluster, number)?;
        let begin = now();
        system.roll_back(&key, &RollbackOptions::default(), "ann").await?;
        taken.push(now().saturating_duration_since(begin));
        tokio::time::sleep(PAUSE).await;
    }
    require(running.await??, wave_workloads(size))?;
    Ok(Rollbacks::new(&taken))
}

impl PendingList {
    async fn measure(system: &SecretMigration, cluster: &ClusterName) -> Result<Self> {
        let page = system.pending(cluster, None).await?;
        if page.rows.len() != PAGE {
            return Err(format!("a page of {} pending workloads", page.rows.len()).into());
        }
        let before = cpu_of_process("self")?;
        for _ in 0..PAGES {
            system.pending(cluster, None).await?;
        }
        let cpu: Duration = cpu_of_process("self")?.saturating_sub(before) / PAGES;
        Ok(Self { units: page.charge, cpu })
    }
}
