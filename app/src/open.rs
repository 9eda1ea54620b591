//! From the flags of a command to an engine on a folder.
//!
//! Owns the flags every command on a folder shares, and whether a folder may be created. Does not own what makes a
//! folder a store: `storage-lsm` recognises it and says what is wrong with it.

use std::future::Future;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::{Engine, Environment};
use storage_lsm::{Durability, LsmStore};

use crate::failure::Failure;

/// How long a relaxed commit may wait for the disk.
const RELAXED_SYNC_MS: u64 = 100;
const MEBIBYTE: u64 = 1024 * 1024;
/// Size of the read cache as a share of the block cache: one byte in this many.
const READ_CACHE_SHARE: u64 = 8;

/// How a store is opened.
#[derive(Clone, Debug, Args)]
pub(crate) struct StoreFlags {
    /// Acknowledge a write once the operating system has it, and sync ten times a second: faster; a power cut may
    /// lose the last tenth of a second, a crash of the process loses nothing
    #[arg(long)]
    pub(crate) relaxed: bool,

    /// Memory for decompressed blocks, in megabytes; what was read lately takes up to an eighth more
    #[arg(long, value_name = "MB", default_value_t = 256,
          value_parser = clap::value_parser!(u64).range(1..=1024 * 1024))]
    pub(crate) cache_mb: u64,
}

/// The folder of a store that must exist, and how it is opened.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExistingStore {
    /// Folder of the store
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,

    #[command(flatten)]
    pub(crate) flags: StoreFlags,
}

impl ExistingStore {
    /// Opens the engine on the folder; never makes a store of a folder that is none.
    pub(crate) async fn open(&self) -> Result<Engine, Failure> {
        refuse_missing(&self.data)?;
        self.flags.open(&self.data).await
    }
}

impl StoreFlags {
    /// Opens the engine on a folder, which becomes a store when it is missing or empty.
    pub(crate) async fn open(&self, folder: &Path) -> Result<Engine, Failure> {
        self.open_with(folder, engine::EngineSettings::default()).await
    }

    /// The same with settings of the account.
    pub(crate) async fn open_with(
        &self,
        folder: &Path,
        account: engine::EngineSettings,
    ) -> Result<Engine, Failure> {
        let what = || cannot_open(folder);
        let durability = match self.relaxed {
            true => Durability::Relaxed { sync_every_ms: RELAXED_SYNC_MS },
            false => Durability::Synced,
        };
        let settings = storage_lsm::LsmSettings {
            durability,
            block_cache_bytes: self.cache_mb * MEBIBYTE,
            read_cache_bytes: self.cache_mb * MEBIBYTE / READ_CACHE_SHARE,
            ..storage_lsm::LsmSettings::default()
        };
        let store = LsmStore::open(folder, engine::SPACES, settings)
            .map_err(|error| Failure::of(what(), &error))?;
        Engine::open(store, Environment::system(), account)
            .await
            .map_err(|error| Failure::of(what(), &error))
    }
}

/// Runs a command's future on a runtime of its own.
pub(crate) fn run<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::new("starting the threads", error.to_string())
            .way_out("Free memory or raise the limit on threads")
    })?;
    runtime.block_on(future)
}

/// The words with which the store itself begins, so that a path is named once.
fn cannot_open(folder: &Path) -> String {
    format!("cannot open the store at {}", folder.display())
}

/// Refuses a folder that holds no store.
pub(crate) fn refuse_missing(folder: &Path) -> Result<(), Failure> {
    let refused = |why: &str| {
        let way_out = "Give the folder of a store; `planisphere bench --keep` makes one to try";
        Err(Failure::new(cannot_open(folder), why).way_out(way_out))
    };
    if !folder.exists() {
        return refused("there is no such folder");
    }
    let is_empty = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let is_unfinished = folder.join("CREATING").exists() && !folder.join("FORMAT").exists();
    if is_empty || is_unfinished {
        return refused("it holds no store");
    }
    Ok(())
}
