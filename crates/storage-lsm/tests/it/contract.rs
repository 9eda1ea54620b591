//! The contract, with synced and relaxed durability.

use storage::contract::{self, SPACES};
use storage_lsm::{Durability, LsmSettings, LsmStore};

async fn keeps_the_contract(settings: LsmSettings) {
    let folders = tempfile::tempdir().unwrap();
    let opened = std::cell::Cell::new(0);
    contract::run(async || {
        opened.set(opened.get() + 1);
        LsmStore::open(folders.path().join(opened.get().to_string()), SPACES, settings).unwrap()
    })
    .await;
}

#[tokio::test]
async fn the_synced_store_keeps_the_contract() {
    keeps_the_contract(LsmSettings::default()).await;
}

#[tokio::test]
async fn the_relaxed_store_keeps_the_contract() {
    let durability = Durability::Relaxed { sync_every_ms: 1 };
    keeps_the_contract(LsmSettings { durability, ..LsmSettings::default() }).await;
}

#[tokio::test]
async fn a_store_with_a_queue_of_one_keeps_the_contract() {
    keeps_the_contract(LsmSettings { commit_queue_max: 1, ..LsmSettings::default() }).await;
}
