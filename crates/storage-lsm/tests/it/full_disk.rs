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
fn a_full_disk_stops_writes_keeps_reads_and_loses_nothing_acknowledged() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let Some(folder) = std::env::var_os(FOLDER) {
        return runtime.block_on(child(folder.into()));
    }
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let itself = std::env::current_exe().unwrap();
    // 66 MiB in blocks of 1 KiB: the journal is created with 64 MiB and may grow a little.
    let name = "full_disk::a_full_disk_stops_writes_keeps_reads_and_loses_nothing_acknowledged";
    let script = format!("ulimit -f 67584; trap '' XFSZ; exec \"$0\" --exact {name}");
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
        let mut set = WriteSet::new();
        set.put(
            ITEMS,
            acknowledged.to_be_bytes().to_vec(),
            noise(acknowledged.into(), 2 * 1024 * 1024),
        );
        match store.commit(SHARD, vec![set]).await {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 100, "the limit was never reached");
    };
    assert_eq!(*error.kind(), ErrorKind::Device, "{error}");
    assert!(error.to_string().contains("free space"), "{error}");
    assert!(error.to_string().contains(&folder.display().to_string()), "{error}");
    let last = store.last_stamp(SHARD).await.unwrap();
    assert_eq!(last.0, u64::from(acknowledged));

    let error = store.commit(SHARD, vec![WriteSet::new()]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Device);
    assert!(error.to_string().contains("stopped accepting writes"), "{error}");
    for key in 0..acknowledged {
        assert!(store.get(SHARD, ITEMS, &key.to_be_bytes()).await.unwrap().is_some());
    }
    let failed = store.get(SHARD, ITEMS, &acknowledged.to_be_bytes()).await.unwrap();
    assert!(failed.is_none(), "an unacknowledged write is visible");
    assert_eq!(*store.close().await.unwrap_err().kind(), ErrorKind::Device);
    let report = folder.parent().unwrap().join("acknowledged_commits");
    std::fs::write(report, acknowledged.to_string()).unwrap();
}
