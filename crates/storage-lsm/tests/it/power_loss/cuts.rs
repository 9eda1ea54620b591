//! Writes, a power cut, and the comparison; several times on the same store.
//!
//! `POWER_CUTS` and `POWER_SEED` choose another run. The seed decides when the power is cut, which syncs fail and what
//! survives; the order in which the threads of the store write is that of the operating system, so a failed run also
//! leaves the disk as it was after the cut, and its message names the folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use storage::contract::SPACES;
use storage_lsm::{Durability, LsmSettings, LsmStore};

use super::disk::{Disk, FailingSyncs};
use super::mount::mount;
use super::writer::{Figures, Writer};

const CUTS: u64 = 10;
const WRITERS: u32 = 4;
/// Cuts of one store before the next one is created. Each series has a seed of its own.
const CUTS_PER_STORE: u64 = 5;

#[derive(Debug, Default)]
struct Totals {
    acknowledged: u64,
    failed: u64,
    resumed: u64,
    syncs_failed: u64,
    cut_while_opening: u64,
}

/// The disk, and what its writers expect of it.
struct Series {
    disk: Disk,
    writers: Vec<Writer>,
    settings: LsmSettings,
    random: fastrand::Rng,
}

#[test]
fn nothing_acknowledged_is_lost_by_a_power_cut() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (cuts, seed) = (number("POWER_CUTS").unwrap_or(CUTS), number("POWER_SEED").unwrap_or(1));
    if !super::can_mount() {
        return;
    }
    println!("POWER_SEED={seed} POWER_CUTS={cuts}");
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let mut totals = Totals::default();
    let mut series = Series::new(seed);
    for cut in 0..cuts {
        let series_seed = seed + cut / CUTS_PER_STORE;
        if cut.is_multiple_of(CUTS_PER_STORE) {
            series = Series::new(series_seed);
        }
        if let Err(broken) = runtime.block_on(series.cut(&mut totals)) {
            let left = left_over(&series.disk, series_seed, cut);
            panic!(
                "cut {} of POWER_SEED={series_seed} POWER_CUTS={CUTS_PER_STORE}: {broken}\n\
                 the disk after the cut: {}",
                cut % CUTS_PER_STORE,
                left.display()
            );
        }
    }
    println!("{cuts} power cuts, {totals:?}");
    assert!(totals.acknowledged > cuts * 3, "too little was written to show anything");
    assert!(cuts < CUTS || totals.syncs_failed > 0, "no sync has failed");
}

impl Series {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let durability = match random.u8(..3) {
            // An hour: only the writers ask for syncs.
            0 => Durability::Relaxed { sync_every_ms: 3_600_000 },
            _ => Durability::Synced,
        };
        // Small memtables, so that a round flushes and compacts.
        let memtable_bytes_max = 24 * 1024;
        let settings = LsmSettings { durability, memtable_bytes_max, ..LsmSettings::default() };
        let writers = (0..WRITERS).map(Writer::new).collect();
        Self { disk: Disk::new(random.u64(..)), writers, settings, random }
    }

    /// One power cut. On an error, `disk` is what was left after it.
    async fn cut(&mut self, totals: &mut Totals) -> Result<(), String> {
        // Short rounds cut the opening, long ones reach flushes, compactions and new journals.
        let operations_max = [80, 500, 4000][self.random.usize(..3)];
        self.disk.cut_after(1 + self.random.u64(..operations_max));
        if self.random.bool() {
            let (after, count) = (self.random.u64(..60), self.random.u64(1..=3));
            let only_folders = self.random.bool();
            self.disk.fail_syncs(FailingSyncs { after, count, only_folders });
        }
        let disk = Arc::new(Mutex::new(std::mem::replace(&mut self.disk, Disk::new(0))));
        let written = self.write(&disk, totals).await;
        self.disk = disk.lock().unwrap().survivors();
        written?;
        self.check().await
    }

    /// Opens the store and lets the writers write until the power is cut.
    async fn write(&mut self, disk: &Arc<Mutex<Disk>>, totals: &mut Totals) -> Result<(), String> {
        let point = tempfile::tempdir().unwrap();
        let session = mount(disk, point.path()).map_err(|error| error.to_string())?;
        let mut complaint = None;
        match open(point.path().join("store"), self.settings).await {
            Ok(store) => {
                let syncs_each = self.settings.durability == Durability::Synced;
                let mut tasks = tokio::task::JoinSet::new();
                for mut writer in self.writers.drain(..) {
                    let (store, disk) = (Arc::clone(&store), Arc::clone(disk));
                    tasks.spawn(async move {
                        let figures = writer.write(&store, &disk, syncs_each).await;
                        (writer, figures)
                    });
                }
                for (writer, figures) in tasks.join_all().await {
                    self.writers.push(writer);
                    match figures {
                        Ok(figures) => totals.add(&figures),
                        Err(broken) => complaint = Some(broken),
                    }
                }
                blocking(move || drop(store)).await;
            }
            Err(error) => {
                totals.cut_while_opening += 1;
                let disk = disk.lock().unwrap();
                if !disk.is_cut() && disk.syncs_failed() == 0 {
                    complaint = Some(format!("refused without a reason: {error}"));
                }
            }
        }
        totals.syncs_failed += disk.lock().unwrap().syncs_failed();
        blocking(move || drop(session)).await;
        complaint.map_or(Ok(()), Err)
    }

    /// Opens what has survived, and lets every writer compare.
    async fn check(&mut self) -> Result<(), String> {
        let left = self.disk.survivors_with(1.0);
        let disk = Arc::new(Mutex::new(left));
        let point = tempfile::tempdir().unwrap();
        let session = mount(&disk, point.path()).map_err(|error| error.to_string())?;
        let store = open(point.path().join("store"), self.settings).await?;
        for writer in &mut self.writers {
            writer.check(&store).await?;
        }
        // Before the store is dropped, which syncs: what was read just now must be durable since the store is open.
        disk.lock().unwrap().cut_now();
        blocking(move || drop(store)).await;
        blocking(move || drop(session)).await;
        self.disk = disk.lock().unwrap().survivors();
        Ok(())
    }
}

impl Totals {
    fn add(&mut self, figures: &Figures) {
        self.acknowledged += figures.acknowledged;
        self.failed += figures.failed;
        self.resumed += figures.resumed;
    }
}

async fn open(path: PathBuf, settings: LsmSettings) -> Result<Arc<LsmStore>, String> {
    blocking(move || LsmStore::open(path, SPACES, settings))
        .await
        .map_err(|error| error.full_message())
}

/// Calls of the file system block, and the other side of them must go on.
async fn blocking<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(call).await.unwrap()
}

/// Keeps the disk of a failed cut. `planisphere-storage-lsm` opens it like any other folder.
fn left_over(disk: &Disk, seed: u64, cut: u64) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("power-loss-{seed}-{cut}"));
    let _ = std::fs::remove_dir_all(&folder);
    disk.copy_to(&folder).unwrap();
    folder
}
