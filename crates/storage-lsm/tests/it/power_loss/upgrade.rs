//! A power cut while a store of an earlier format becomes one of the present format.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use storage::{KeyRange, Read, Scan, ScanLimit, Shard, Space};
use storage_lsm::{LsmSettings, LsmStore};

use super::disk::{Disk, ROOT};
use super::mount::mount;

const fn space(number: u8, name: &'static str) -> Space {
    Space { number, name, prefix_bytes: 17 }
}

/// The spaces of the kept store, in which shards have small numbers.
static SPACES: &[Space] = &[
    space(1, "items"),
    space(2, "terms"),
    space(3, "unique_keys"),
    space(4, "change_log"),
    space(5, "versions"),
    space(6, "expiry"),
    space(7, "state"),
    space(8, "catalog"),
    space(9, "results"),
];
const SHARDS: u32 = 16;
/// More than an upgrade takes; a cut after the end is one of an upgraded store.
const OPERATIONS_MAX: u64 = 70;

type Content = BTreeMap<(u32, u8, Vec<u8>), Vec<u8>>;

/// Copies a folder onto a disk, and syncs it.
fn load(disk: &mut Disk, folder: u64, from: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        let number = disk.create(folder, name, path.is_dir()).unwrap();
        if path.is_dir() {
            load(disk, number, &path);
        } else {
            disk.write(number, 0, &fs::read(&path).unwrap()).unwrap();
            disk.sync_file(number).unwrap();
        }
    }
    disk.sync_folder(folder).unwrap();
}

async fn read_all(store: &LsmStore) -> Content {
    let mut content = Content::new();
    let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(100_000));
    for (shard, space) in (0..SHARDS).flat_map(|shard| SPACES.iter().map(move |one| (shard, one))) {
        for entry in store.scan(Shard(shard), *space, &scan).await.unwrap().entries {
            content.insert((shard, space.number, entry.key.to_vec()), entry.value.to_vec());
        }
    }
    content
}

fn open(disk: &Arc<Mutex<Disk>>) -> storage::Result<(Arc<LsmStore>, impl Sized)> {
    let point = tempfile::tempdir().unwrap();
    let session = mount(disk, point.path()).unwrap();
    let store = LsmStore::open(point.path(), SPACES, LsmSettings::default())?;
    Ok((store, (session, point)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_that_a_power_cut_ends_is_begun_again() {
    if !super::can_mount() {
        return;
    }
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats/v1/store");
    let mut expected = None;
    let mut unfinished = 0;
    for operations in (0..OPERATIONS_MAX).step_by(3) {
        let mut disk = Disk::new(operations);
        load(&mut disk, ROOT, &kept);
        // The first round is not cut, and says what the store holds.
        if operations > 0 {
            disk.cut_after(operations);
        }
        let disk = Arc::new(Mutex::new(disk));
        let opened = open(&disk);
        disk.lock().unwrap().cut_now();
        unfinished += usize::from(opened.is_err());
        drop(opened);
        let survivors = Arc::new(Mutex::new(disk.lock().unwrap().survivors()));
        let (store, session) = open(&survivors)
            .unwrap_or_else(|error| panic!("cut after {operations} operations: {error}"));
        let content = read_all(&store).await;
        drop(store);
        drop(session);
        let expected = expected.get_or_insert_with(|| content.clone());
        assert!(content.len() > 100, "{} entries", content.len());
        assert!(content == *expected, "cut after {operations} operations: something is lost");
    }
    assert!(unfinished > 3, "{unfinished} upgrades were cut");
}
