//! Power cuts while the store of an earlier format is opened, which brings it to the present one.
//!
//! Every format in `formats/` is opened on a disk whose power is cut after one operation, after a few more, and so on
//! until opening needs no more. What survives must open and hold what an opening without a cut finds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use storage::{KeyRange, Read, Scan, ScanLimit, Shard, Space, Store};
use storage_lsm::{LsmSettings, LsmStore};

use super::disk::{Disk, ROOT};
use super::mount::mount;

/// The spaces of the kept stores: those of the engine.
const STORED_SPACES: &[Space] = &[
    space(1, "items"),
    Space { buffered: true, ..space(2, "terms") },
    space(3, "unique_keys"),
    space(4, "change_log"),
    space(5, "versions"),
    space(6, "expiry"),
    space(7, "state"),
    space(8, "catalog"),
    space(9, "results"),
];

/// More shards than any kept store has.
const SHARDS: u32 = 32;

/// Cuts that are tried at most; opening needs fewer operations.
const OPERATIONS_MAX: u64 = 2_000;

const fn space(number: u8, name: &'static str) -> Space {
    Space { number, name, prefix_bytes: 17, buffered: false }
}

type Content = BTreeMap<(u32, u8, Vec<u8>), Vec<u8>>;

#[test]
fn a_power_cut_during_an_upgrade_loses_nothing() {
    if !super::can_mount() {
        return;
    }
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats");
    let mut stores: Vec<PathBuf> = fs::read_dir(formats)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("store"))
        .filter(|path| path.is_dir())
        .collect();
    stores.sort();
    assert!(stores.len() > 1, "the store of an earlier format is kept");
    for store in stores {
        runtime.block_on(cut_everywhere(&store));
    }
}

async fn cut_everywhere(kept: &Path) {
    let expected = open_and_read(Arc::new(Mutex::new(disk_of(kept, 0)))).await.unwrap();
    assert!(expected.len() > 20, "{} entries", expected.len());
    for operations in (1..OPERATIONS_MAX).step_by(step()) {
        let disk = Arc::new(Mutex::new(disk_of(kept, operations)));
        disk.lock().unwrap().cut_after(operations);
        let opened = open_and_read(Arc::clone(&disk)).await;
        let is_cut = disk.lock().unwrap().is_cut();
        if !is_cut {
            assert_eq!(opened.unwrap(), expected, "{} without a cut", kept.display());
            assert!(operations > 5, "only {operations} operations change something");
            return;
        }
        let survivors = disk.lock().unwrap().survivors();
        // Twice: the first opening goes on with the upgrade, the second finds its result.
        let survivors = Arc::new(Mutex::new(survivors));
        for time in ["first", "second"] {
            let found = open_and_read(Arc::clone(&survivors)).await;
            let place = format!("{} cut after {operations} operations", kept.display());
            match found {
                Ok(found) => assert!(found == expected, "{place}: another content, {time} time"),
                Err(refused) => panic!("{place}: refused the {time} time: {refused}"),
            }
        }
    }
    panic!("opening {} needs more than {OPERATIONS_MAX} operations", kept.display());
}

/// Every operation is cut in the nightly run, every fourth one otherwise.
fn step() -> usize {
    if std::env::var_os("POWER_CUTS").is_some() { 1 } else { 4 }
}

/// Everything in the store of a disk. The disk is not synced before it is unmounted.
async fn open_and_read(disk: Arc<Mutex<Disk>>) -> Result<Content, String> {
    let point = tempfile::tempdir().unwrap();
    let session = mount(&disk, point.path()).map_err(|error| error.to_string())?;
    let folder = point.path().join("store");
    let opened =
        blocking(move || LsmStore::open(folder, STORED_SPACES, LsmSettings::default())).await;
    let content = match opened {
        Ok(store) => {
            let content = read_all(&store).await;
            blocking(move || drop(store)).await;
            content
        }
        Err(error) => Err(error.full_message()),
    };
    blocking(move || drop(session)).await;
    content
}

async fn read_all(store: &LsmStore) -> Result<Content, String> {
    let mut content = Content::new();
    let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(100_000));
    for shard in 0..SHARDS {
        let stamp = store.last_stamp(Shard(shard)).await.map_err(|error| error.full_message())?;
        content.insert((shard, 0, Vec::new()), stamp.0.to_be_bytes().to_vec());
        for space in STORED_SPACES {
            let page = store.scan(Shard(shard), *space, &scan).await;
            for entry in page.map_err(|error| error.full_message())?.entries {
                let place = (shard, space.number, entry.key.to_vec());
                content.insert(place, entry.value.to_vec());
            }
        }
    }
    Ok(content)
}

/// A disk that holds a copy of a folder, synced.
fn disk_of(folder: &Path, seed: u64) -> Disk {
    let mut disk = Disk::new(seed);
    let store = disk.create(ROOT, "store".as_ref(), true).unwrap();
    copy(&mut disk, store, folder);
    disk.sync_folder(ROOT).unwrap();
    disk
}

fn copy(disk: &mut Disk, into: u64, from: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let number = disk.create(into, path.file_name().unwrap(), path.is_dir()).unwrap();
        if path.is_dir() {
            copy(disk, number, &path);
        } else {
            disk.write(number, 0, &fs::read(&path).unwrap()).unwrap();
            disk.sync_file(number).unwrap();
        }
    }
    disk.sync_folder(into).unwrap();
}

async fn blocking<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(call).await.unwrap()
}
