//! Journals that end too early, and the side file that detects it.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use storage::contract::SPACES;
use storage::{ErrorKind, Read, Stamp, Store};
use storage_lsm::{Durability, LsmSettings, LsmStore};

use crate::{ITEMS, SHARD, open, put};

fn journal(folder: &Path) -> PathBuf {
    folder.join("lsm/0.jnl")
}

/// The length of the written part of a preallocated journal.
fn written_bytes(path: &Path) -> u64 {
    let mut bytes = Vec::new();
    File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at as u64 + 1)
}

fn cut(path: &Path, length: u64) {
    File::options().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// Makes ten commits without closing, so that everything is in the journal; returns its length after the ninth.
async fn ten_commits(folder: &Path, settings: LsmSettings) -> u64 {
    let store = LsmStore::open(folder, SPACES, settings).unwrap();
    for key in 0..9_u8 {
        put(&store, vec![key], vec![key + 1; 100]).await;
    }
    let length = written_bytes(&journal(folder));
    put(&store, vec![9], vec![10; 100]).await;
    length
}

#[tokio::test]
async fn a_journal_without_an_acknowledged_commit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let length = ten_commits(folder.path(), LsmSettings::default()).await;
    cut(&journal(folder.path()), length);
    for _ in 0..2 {
        let error = LsmStore::open(folder.path(), SPACES, LsmSettings::default()).unwrap_err();
        let text = error.to_string();
        assert_eq!(*error.kind(), ErrorKind::CannotOpen);
        let words = ["shard 7", "stamp 10", "stamp 9", "backup", "acknowledged writes are missing"];
        for word in words {
            assert!(text.contains(word), "{text:?} does not say {word:?}");
        }
        assert!(text.contains(&folder.path().display().to_string()));
    }
    fs::remove_file(folder.path().join("acknowledged")).unwrap();
    let store = open(folder.path());
    assert_eq!(store.last_stamp(SHARD).await.unwrap(), Stamp(9));
    assert_eq!(put(&store, "a", "1").await, Stamp(10));
}

#[tokio::test]
async fn a_torn_commit_in_the_middle_of_the_journal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let length = ten_commits(folder.path(), LsmSettings::default()).await;
    let path = journal(folder.path());
    let mut bytes = fs::read(&path).unwrap();
    let middle = usize::try_from(length / 2).unwrap();
    bytes[middle] ^= 0xFF;
    fs::write(&path, bytes).unwrap();
    let error = LsmStore::open(folder.path(), SPACES, LsmSettings::default()).unwrap_err();
    let known = [ErrorKind::Corrupt, ErrorKind::CannotOpen];
    assert!(known.contains(error.kind()), "{error}");
}

#[tokio::test]
async fn a_torn_tail_that_was_never_acknowledged_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    ten_commits(folder.path(), LsmSettings::default()).await;
    let path = journal(folder.path());
    let length = written_bytes(&path);
    // The start of an eleventh commit: a copy of the first bytes of the journal.
    let start = fs::read(&path).unwrap()[..40].to_vec();
    cut(&path, length);
    File::options().append(true).open(&path).unwrap().write_all(&start).unwrap();
    let store = open(folder.path());
    assert_eq!(store.last_stamp(SHARD).await.unwrap(), Stamp(10));
    assert!(store.get(SHARD, ITEMS, &[9]).await.unwrap().is_some());
    assert_eq!(put(&store, "a", "1").await, Stamp(11));
    drop(store);
    assert!(open(folder.path()).get(SHARD, ITEMS, b"a").await.unwrap().is_some());
}

#[tokio::test]
async fn a_relaxed_store_may_lose_its_unsynced_tail() {
    let folder = tempfile::tempdir().unwrap();
    let durability = Durability::Relaxed { sync_every_ms: 600_000 };
    let settings = LsmSettings { durability, ..LsmSettings::default() };
    let store = LsmStore::open(folder.path(), SPACES, settings).unwrap();
    put(&store, "a", "1").await;
    store.sync().await.unwrap();
    let synced = written_bytes(&journal(folder.path()));
    put(&store, "b", "1").await;
    // Dropping syncs, so the state a power cut leaves is taken from the files before.
    let journal_then = fs::read(journal(folder.path())).unwrap();
    let acknowledged_then = fs::read(folder.path().join("acknowledged")).unwrap();
    drop(store);
    fs::write(folder.path().join("acknowledged"), acknowledged_then).unwrap();
    let kept = usize::try_from(synced).unwrap();
    fs::write(journal(folder.path()), &journal_then[..kept]).unwrap();
    let store = LsmStore::open(folder.path(), SPACES, settings).unwrap();
    assert!(store.get(SHARD, ITEMS, b"a").await.unwrap().is_some());
    assert!(store.get(SHARD, ITEMS, b"b").await.unwrap().is_none());
}

#[tokio::test]
async fn the_relaxed_timer_syncs_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let durability = Durability::Relaxed { sync_every_ms: 5 };
    let settings = LsmSettings { durability, ..LsmSettings::default() };
    let store = LsmStore::open(folder.path(), SPACES, settings).unwrap();
    put(&store, "a", "1").await;
    let side_file = folder.path().join("acknowledged");
    for _ in 0..1000 {
        if !fs::read(&side_file).unwrap().is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("the commit was never recorded as durable");
}

#[tokio::test]
async fn a_damaged_slot_counts_as_absent() {
    let folder = tempfile::tempdir().unwrap();
    ten_commits(folder.path(), LsmSettings::default()).await;
    let path = folder.path().join("acknowledged");
    let mut bytes = fs::read(&path).unwrap();
    bytes[11] ^= 0xFF;
    bytes.extend_from_slice(b"torn");
    fs::write(&path, bytes).unwrap();
    let store = open(folder.path());
    assert_eq!(put(&store, "a", "1").await, Stamp(11));
    drop(store);
    open(folder.path());
}
