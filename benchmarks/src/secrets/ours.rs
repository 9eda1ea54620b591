//! Our side: the tracker on a folder, with a source that takes its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::ChargeProfile;
use secret_migration::{ClusterName, MigrationStatus, RollbackOptions, RunScope, SecretMigration};
use storage_lsm::Durability;

use super::report::{PendingList, SecretsSide};
use super::run::{SOURCE, SecretsOptions};
use super::system::{add, charge_of_workload, fill, key, open};
use crate::meter::{cpu_of_process, now};
use crate::{Result, data, progress};

/// The first workloads are rolled back, as soon as they are migrated, while the others are migrated.
const ROLLBACKS: usize = 200;
/// Pending workloads beside the finished ones when the pending list is measured: one page.
const PAGE: usize = 100;
/// Pages that the processor time of one is taken from; the kernel counts it in steps of 10 ms.
const PAGES: u32 = 100;

pub(super) async fn run(options: SecretsOptions) -> Result<SecretsSide> {
    let folder = tempfile::Builder::new().prefix("benchmarks-secrets").tempdir()?;
    let engine = data::open(folder.path(), Durability::Synced, None).await?;
    let (account, system) = open(&engine, options.workers, SOURCE).await?;
    progress::step("planisphere: workloads");
    let mut clusters = Vec::new();
    for number in 0..options.clusters {
        clusters.push(fill(&system, number, PAGE).await?);
    }
    let first = clusters.first().ok_or("no cluster")?.clone();
    let pending_before = PendingList::measure(&system, &first).await?;
    for cluster in &clusters {
        add(&system, cluster, PAGE..options.workloads).await?;
    }
    let before = (now(), cpu_of_process("self")?);
    progress::step("planisphere: migrating");
    let is_over = Arc::new(AtomicBool::new(false));
    let rollbacks =
        tokio::spawn(roll_back_some(system.clone(), first.clone(), Arc::clone(&is_over)));
    let migrated = migrate(&system, &clusters).await?;
    let wall = now().saturating_duration_since(before.0);
    let cpu = cpu_of_process("self")?.saturating_sub(before.1);
    is_over.store(true, Ordering::SeqCst);
    let rollbacks = rollbacks.await??;
    let total = (options.clusters * options.workloads) as u64;
    if migrated != total {
        return Err(format!("{migrated} of {total} workloads were migrated").into());
    }
    // The same number of pending workloads as before, now beside all the finished ones.
    add(&system, &first, options.workloads..options.workloads + PAGE).await?;
    let pending_after = PendingList::measure(&system, &first).await?;
    account.close().await?;
    let azure = charge_of_workload(ChargeProfile::Azure).await?;
    let native = charge_of_workload(ChargeProfile::Native).await?;
    Ok(SecretsSide {
        wall,
        cpu,
        units: Some((azure, native)),
        pending: Some((pending_before, pending_after)),
        rollbacks_ms: rollbacks,
    })
}

async fn migrate(system: &SecretMigration, clusters: &[ClusterName]) -> Result<u64> {
    let mut rounds = tokio::task::JoinSet::new();
    for cluster in clusters {
        let (system, cluster) = (system.clone(), cluster.clone());
        rounds.spawn(async move { system.run_cluster(&cluster, RunScope::All, "benchmark").await });
    }
    let mut migrated = 0;
    while let Some(round) = rounds.join_next().await {
        migrated += round??.migrated;
    }
    Ok(migrated)
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
        let cpu = cpu_of_process("self")?.saturating_sub(before) / PAGES;
        Ok(Self { units: page.charge, cpu })
    }
}

/// Rolls back workloads one after another while the workers go on, each as soon as it is migrated: a rollback during
/// its migration would be a valid one, but not of a migrated workload. Returns what each took, in milliseconds.
async fn roll_back_some(
    system: SecretMigration,
    cluster: ClusterName,
    is_over: Arc<AtomicBool>,
) -> Result<Vec<f64>> {
    let mut taken = Vec::new();
    // The source is not asked: its time is not ours.
    let options = RollbackOptions { force: true, ..RollbackOptions::default() };
    for number in 0..ROLLBACKS {
        let key = key(&cluster, number)?;
        while system.workload(&key).await?.0.migration_status != MigrationStatus::Migrated {
            if is_over.load(Ordering::SeqCst) {
                return Ok(taken);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let begin = now();
        system.roll_back(&key, &options, "benchmark").await?;
        taken.push(now().saturating_duration_since(begin).as_secs_f64() * 1e3);
    }
    Ok(taken)
}
