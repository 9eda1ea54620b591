//! A full device.
//!
//! The limit on file sizes applies to a whole process, so the test runs itself as a child process with a limit: a
//! journal that would grow beyond it fails as on a full disk.

use std::path::PathBuf;
use std::process::Command;

use storage::contract::SPACES;
use storage::{ErrorKind, Read, Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

use crate::{ITEMS, SHARD, noise};

const FOLDER: &str = "STORE_ON_A_FULL_DISK";

#[test]
fn a_full_disk_stops_writes_until_there_is_room_and_loses_nothing_acknowledged() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let Some(folder) = std::env::var_os(FOLDER) {
        return runtime.block_on(child(folder.into()));
    }
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let itself = std::env::current_exe().unwrap();
    // 66 MiB in blocks of 1 KiB: the journal is created with 64 MiB and may grow a little.
    let name =
        "full_disk::a_full_disk_stops_writes_until_there_is_room_and_loses_nothing_acknowledged";
    let script = format!("ulimit -S -f 67584; trap '' XFSZ; exec \"$0\" --exact {name}");
    let output = Command::new("bash")
        .args(["-c", &script])
        .arg(itself)
        .env(FOLDER, &store)
        .output()
        .expect("bash sets the limit");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let acknowledged = std::fs::read_to_string(folder.path().join("acknowledged_commits")).unwrap();
    let acknowledged: u32 = acknowledged.parse().unwrap();
    assert!(acknowledged > 10);
    // Without the limit, everything acknowledged is readable and writes succeed again.
    runtime.block_on(async {
        let store = LsmStore::open(&store, SPACES, LsmSettings::default()).unwrap();
        for key in 0..acknowledged {
            assert!(store.get(SHARD, ITEMS, &key.to_be_bytes()).await.unwrap().is_some());
        }
        crate::put(&store, "after", "1").await;
        store.close().await.unwrap();
    });
}

/// The child process, under a limit on file sizes.
async fn child(folder: PathBuf) {
    // A large memtable keeps the journal from being replaced by a new file before it is full.
    let settings = LsmSettings { memtable_bytes_max: 1 << 30, ..LsmSettings::default() };
    let store = LsmStore::open(&folder, SPACES, settings).unwrap();
    let mut acknowledged = 0_u32;
    let error = loop {
        match commit_large(&store, acknowledged).await {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 100, "the limit was never reached");
    };
    assert_eq!(*error.kind(), ErrorKind::Device, "{error}");
    assert!(error.to_string().contains("free space"), "{error}");
    assert!(error.to_string().contains(&folder.display().to_string()), "{error}");
    for key in 0..acknowledged {
        assert!(store.get(SHARD, ITEMS, &key.to_be_bytes()).await.unwrap().is_some());
    }
    // The store tries to write again by itself, and fails again as long as the disk is full.
    let mut reported = false;
    for _ in 0..100 {
        let Err(error) = commit_large(&store, acknowledged).await else {
            panic!("the disk is full")
        };
        assert_eq!(*error.kind(), ErrorKind::Device, "{error}");
        reported |= store.write_failure().is_some();
        if reported {
            break;
        }
    }
    assert!(reported, "a store that accepts no writes must say so");
    let limit = Command::new("prlimit")
        .args(["--pid", &std::process::id().to_string(), "--fsize=unlimited:"])
        .status()
        .expect("prlimit raises the limit");
    assert!(limit.success());
    // No restart: the same store accepts writes as soon as it has noticed.
    for attempt in 0..6000 {
        match commit_large(&store, acknowledged).await {
            Ok(_) => break,
            Err(error) => assert!(attempt < 5999, "writing does not resume: {error}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(store.write_failure(), None);
    for key in 0..=acknowledged {
        assert!(store.get(SHARD, ITEMS, &key.to_be_bytes()).await.unwrap().is_some());
    }
    store.close().await.unwrap();
    let report = folder.parent().unwrap().join("acknowledged_commits");
    std::fs::write(report, (acknowledged + 1).to_string()).unwrap();
}

async fn commit_large(store: &LsmStore, key: u32) -> storage::Result<Vec<storage::Stamp>> {
    let mut set = WriteSet::new();
    set.put(ITEMS, key.to_be_bytes().to_vec(), noise(key.into(), 2 * 1024 * 1024));
    store.commit(SHARD, vec![set]).await
}
