//! The contract, synced and relaxed.

use storage::contract::{self, SPACES};
use storage_lsm::{Durability, LsmStore, Settings};

async fn keeps_the_contract(settings: Settings) {
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
    keeps_the_contract(Settings::default()).await;
}

#[tokio::test]
async fn the_relaxed_store_keeps_the_contract() {
    let durability = Durability::Relaxed { sync_every_ms: 1 };
    keeps_the_contract(Settings { durability, ..Settings::default() }).await;
}

#[tokio::test]
async fn a_store_with_a_queue_of_one_keeps_the_contract() {
    keeps_the_contract(Settings { commit_queue_max: 1, ..Settings::default() }).await;
}
