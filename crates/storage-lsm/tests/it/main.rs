//! The LSM store: the contract, and everything that can be wrong with a folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_storage_lsm as storage_lsm;

mod bad_folders;
mod buffered_space;
mod concurrency;
mod contract;
mod damaged_files;
mod full_disk;
mod lost_writes;
#[cfg(target_os = "linux")]
mod power_loss;
mod reopening;
mod repeated_reads;
mod sealed_journals;

use std::path::Path;
use std::sync::Arc;

use storage::contract::SPACES;
use storage::{Shard, Space, Stamp, Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

const ITEMS: Space = SPACES[0];
const SHARD: Shard = Shard(7);

fn open(path: &Path) -> Arc<LsmStore> {
    LsmStore::open(path, SPACES, LsmSettings::default()).unwrap()
}

/// The text of the error when a folder is opened.
fn refusal(path: &Path) -> String {
    LsmStore::open(path, SPACES, LsmSettings::default()).unwrap_err().to_string()
}

async fn put(store: &LsmStore, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Stamp {
    let mut set = WriteSet::new();
    set.put(ITEMS, key.into(), value.into());
    store.commit(SHARD, vec![set]).await.unwrap()[0]
}

/// Incompressible bytes.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let numbers = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()
    });
    numbers.flatten().take(length).collect()
}
