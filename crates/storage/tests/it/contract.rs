//! The contract on every store of this crate.

use std::sync::Arc;

use storage::contract;
use storage::faulty::{FaultPlan, FaultyStore};
use storage::memory::MemoryStore;
use storage::simulated_disk::{DiskDurability, SimulatedDisk};

#[tokio::test]
async fn the_memory_store_keeps_the_contract() {
    contract::run(async || Arc::new(MemoryStore::new())).await;
}

#[tokio::test]
async fn a_faulty_store_without_faults_keeps_the_contract() {
    contract::run(async || {
        Arc::new(FaultyStore::new(Arc::new(MemoryStore::new()), 1, FaultPlan::default()))
    })
    .await;
}

#[tokio::test]
async fn a_faulty_store_that_is_only_slow_keeps_the_contract() {
    let plan = FaultPlan { delay_ppm: 500_000, delay_yields_max: 5, ..FaultPlan::default() };
    for seed in 0..20 {
        contract::run(async || {
            Arc::new(FaultyStore::new(Arc::new(MemoryStore::new()), seed, plan))
        })
        .await;
    }
}

#[tokio::test]
async fn the_simulated_disk_keeps_the_contract() {
    for durability in [DiskDurability::Synced, DiskDurability::Relaxed] {
        contract::run(async || Arc::new(SimulatedDisk::new(durability))).await;
    }
}
