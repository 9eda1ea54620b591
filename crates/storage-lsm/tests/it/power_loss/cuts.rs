//! Writes, a power cut, and the comparison; many times on the same store. `POWER_CUTS` and `POWER_SEED` choose another
//! run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use storage::contract::SPACES;
use storage::{Read, Shard, Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

use super::disk::Disk;
use super::mount::mount;

const CUTS: u64 = 10;
const WRITERS: u32 = 4;
/// One cut in this many happens while a store is created.
const FRESH_EVERY: u64 = 5;

/// The generation that each writer was told is durable, and the one it has asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    acknowledged: u64,
    attempted: u64,
}

#[derive(Debug, Default)]
struct Figures {
    acknowledged: u64,
    syncs_failed: u64,
    resumed: u64,
}

#[test]
fn nothing_acknowledged_is_lost_by_a_power_cut() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (cuts, seed) = (number("POWER_CUTS").unwrap_or(CUTS), number("POWER_SEED").unwrap_or(1));
    if !Path::new("/dev/fuse").exists() {
        println!("SKIPPED power_loss: /dev/fuse is missing; load the module fuse");
        return;
    }
    println!("POWER_SEED={seed} POWER_CUTS={cuts}");
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut figures = Figures::default();
    let mut disk = Disk::new(random.u64(..));
    let mut progress = BTreeMap::new();
    for cut in 0..cuts {
        if cut.is_multiple_of(FRESH_EVERY) {
            (disk, progress) = (Disk::new(random.u64(..)), BTreeMap::new());
        }
        // Short rounds cut the opening, long ones reach flushes, compactions and new journals.
        let operations_max = [60, 400, 3000][random.usize(..3)];
        let operations = 1 + random.u64(..operations_max);
        disk.cut_after(operations);
        if random.bool() {
            disk.fail_sync_after(random.u64(..40));
        }
        let shared = Arc::new(Mutex::new(disk));
        if let Err(reason) = runtime.block_on(round(&shared, &mut progress, &mut figures)) {
            println!(
                "SKIPPED power_loss: the file system cannot be mounted ({reason}); install fuse3"
            );
            return;
        }
        disk = shared.lock().unwrap().survivors();
        let checked = Arc::new(Mutex::new(disk));
        runtime.block_on(check(&checked, &mut progress)).unwrap_or_else(|broken| {
            panic!("cut {cut} of POWER_SEED={seed}, after {operations} operations: {broken}")
        });
        // The checked store was dropped without a cut, and nothing was written: only synced data matters from here on.
        disk = checked.lock().unwrap().survivors();
    }
    println!("{cuts} power cuts, {figures:?}");
    assert!(figures.acknowledged > cuts * 3, "too little was written to show anything");
    assert!(figures.syncs_failed > 0 || cuts < CUTS, "no sync has failed");
}

fn settings() -> LsmSettings {
    // Small memtables, so that a round flushes and compacts.
    LsmSettings { memtable_bytes_max: 48 * 1024, ..LsmSettings::default() }
}

fn value(generation: u64) -> Vec<u8> {
    let mut bytes = generation.to_be_bytes().to_vec();
    bytes.resize(8 + (generation % 7 * 311) as usize, 0xA5);
    bytes
}

/// Opens the store and lets the writers write until the power is cut. Fails only if nothing can be mounted.
async fn round(
    disk: &Arc<Mutex<Disk>>,
    progress: &mut BTreeMap<u32, Progress>,
    figures: &mut Figures,
) -> std::io::Result<()> {
    let point = tempfile::tempdir()?;
    let session = mount(disk, point.path())?;
    let path = point.path().join("store");
    let opened = tokio::task::spawn_blocking(move || LsmStore::open(path, SPACES, settings()));
    if let Ok(store) = opened.await.unwrap() {
        let mut tasks = tokio::task::JoinSet::new();
        for writer in 0..WRITERS {
            let (store, disk) = (Arc::clone(&store), Arc::clone(disk));
            let before = progress.get(&writer).copied().unwrap_or_default();
            tasks.spawn(async move { (writer, write(&store, &disk, writer, before).await) });
        }
        while let Some(done) = tasks.join_next().await {
            let (writer, (after, resumed)) = done.unwrap();
            let before = progress.insert(writer, after).unwrap_or_default();
            figures.acknowledged += after.acknowledged - before.acknowledged;
            figures.resumed += resumed;
        }
        tokio::task::spawn_blocking(move || drop(store)).await.unwrap();
    }
    figures.syncs_failed += std::mem::take(&mut disk.lock().unwrap().syncs_failed);
    tokio::task::spawn_blocking(move || drop(session)).await.unwrap();
    Ok(())
}

/// Writes one generation after the other to all spaces. After a failed sync the store opens its tree again by itself,
/// and the writer repeats until that has happened.
async fn write(
    store: &LsmStore,
    disk: &Mutex<Disk>,
    writer: u32,
    mut progress: Progress,
) -> (Progress, u64) {
    let (mut has_failed, mut resumed) = (false, 0);
    loop {
        progress.attempted += 1;
        let mut set = WriteSet::new();
        for space in SPACES {
            set.put(*space, writer.to_be_bytes().to_vec(), value(progress.attempted));
            let key = [writer.to_be_bytes().as_slice(), &progress.attempted.to_be_bytes()].concat();
            set.put(*space, key, value(progress.attempted));
        }
        match store.commit(Shard(writer % 2), vec![set]).await {
            Ok(_) => {
                progress.acknowledged = progress.attempted;
                resumed += u64::from(std::mem::take(&mut has_failed));
            }
            Err(_) if disk.lock().unwrap().is_cut() => return (progress, resumed),
            Err(_) => {
                has_failed = true;
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                // Only the committer's attempts to resume reach the disk now; they lead to the cut in the end.
            }
        }
    }
}

/// Opens what has survived. Every writer must find its last acknowledged generation or a later one it has asked for,
/// the same in all spaces, and all generations before it that were acknowledged.
async fn check(
    disk: &Arc<Mutex<Disk>>,
    progress: &mut BTreeMap<u32, Progress>,
) -> Result<(), String> {
    let point = tempfile::tempdir().unwrap();
    let session = mount(disk, point.path()).map_err(|error| error.to_string())?;
    let path = point.path().join("store");
    let opened = tokio::task::spawn_blocking(move || LsmStore::open(path, SPACES, settings()));
    let store = opened.await.unwrap().map_err(|error| error.full_message())?;
    for (writer, progress) in progress.iter_mut() {
        let mut found = Vec::new();
        for space in SPACES {
            let stored = store.get(Shard(writer % 2), *space, &writer.to_be_bytes()).await;
            let stored = stored.map_err(|error| error.full_message())?;
            let generation = stored
                .as_ref()
                .map_or(0, |bytes| u64::from_be_bytes(bytes[..8].try_into().unwrap()));
            found.push(generation);
        }
        let generation = found[0];
        let expected = progress.acknowledged..=progress.attempted;
        if !expected.contains(&generation) || found.iter().any(|other| *other != generation) {
            return Err(format!("writer {writer} finds {found:?} instead of {expected:?}"));
        }
        for space in SPACES {
            let key = [writer.to_be_bytes().as_slice(), &generation.to_be_bytes()].concat();
            let stored = store.get(Shard(writer % 2), *space, &key).await.unwrap();
            if generation > 0 && stored.as_deref() != Some(value(generation).as_slice()) {
                return Err(format!("writer {writer}: generation {generation} is not whole"));
            }
        }
        // What has survived is what the next round builds on; it is synced by opening the store.
        *progress =
            Progress { acknowledged: generation, attempted: generation.max(progress.attempted) };
    }
    tokio::task::spawn_blocking(move || drop(store)).await.unwrap();
    tokio::task::spawn_blocking(move || drop(session)).await.unwrap();
    Ok(())
}
