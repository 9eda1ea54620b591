//! Flags of commands that open a store, and how they open it: a folder, or a database by its URL.
//!
//! Whether a folder is a store is decided by `storage-lsm`, which also explains what is wrong with it; for a database
//! see `database`.

use std::future::Future;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::{Engine, Environment};
use storage_lsm::{Durability, LsmStore};

use crate::database::shown_url;
use crate::error::CommandError;

/// How long a commit may wait for the disk with `--relaxed`.
const RELAXED_SYNC_MS: u64 = 100;
const MEBIBYTE: u64 = 1024 * 1024;
/// Size of the read cache as a share of the block cache: one byte in this many.
const READ_CACHE_SHARE: u64 = 8;

/// How to open a store.
#[derive(Clone, Debug, Args)]
pub(crate) struct StoreFlags {
    /// Acknowledge a write when the operating system has it, and sync ten times per second. Faster, but a power failure
    /// may lose the last tenth of a second; a crash of the process loses nothing
    #[arg(long)]
    pub(crate) relaxed: bool,

    /// Memory for decompressed blocks, in megabytes; recently read values may use an eighth more
    #[arg(long, value_name = "MB", default_value_t = 256,
          value_parser = clap::value_parser!(u64).range(1..=1024 * 1024))]
    pub(crate) cache_mb: u64,
}

/// A store that must exist.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExistingStore {
    /// Folder of the store, or postgres://...
    #[arg(long, visible_alias = "store", value_name = "DIR")]
    pub(crate) data: PathBuf,

    #[command(flatten)]
    pub(crate) flags: StoreFlags,
}

impl ExistingStore {
    /// Opens the engine on the folder. Never creates a store.
    pub(crate) async fn open(&self) -> Result<Engine, CommandError> {
        self.flags.open_existing(&self.data, engine::EngineSettings::default()).await
    }
}

impl StoreFlags {
    /// Opens the engine on a folder or a database, with engine settings. Never creates a store.
    pub(crate) async fn open_existing(
        &self,
        folder: &Path,
        account: engine::EngineSettings,
    ) -> Result<Engine, CommandError> {
        if let Some(url) = database_url(folder) {
            return self.open_database(url, account, MissingStore::Refuse).await;
        }
        refuse_missing(folder)?;
        self.open_with(folder, account).await
    }

    /// Opens the engine on a folder or a database. Creates a store if there is none.
    pub(crate) async fn open(&self, folder: &Path) -> Result<Engine, CommandError> {
        self.open_with(folder, engine::EngineSettings::default()).await
    }

    /// The same, with engine settings.
    pub(crate) async fn open_with(
        &self,
        folder: &Path,
        account: engine::EngineSettings,
    ) -> Result<Engine, CommandError> {
        if let Some(url) = database_url(folder) {
            return self.open_database(url, account, MissingStore::Create).await;
        }
        let what = || cannot_open(folder);
        // For the whole process: the tree creates its files itself, and all of them hold data.
        rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
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
            .map_err(|error| CommandError::from_error(what(), &error))?;
        Engine::open(store, with_scripts(Environment::system()), account)
            .await
            .map_err(|error| CommandError::from_error(what(), &error))
    }
}

/// Whether to create a store where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingStore {
    Refuse,
    Create,
}

/// The text of a location that is the URL of a database and no path.
pub(crate) fn database_url(location: &Path) -> Option<&str> {
    let is_url = |text: &&str| text.starts_with("postgres://") || text.starts_with("postgresql://");
    location.to_str().filter(is_url)
}

/// A location for people, without a password.
pub(crate) fn shown_location(location: &Path) -> String {
    match database_url(location) {
        None => location.display().to_string(),
        Some(url) => shown_url(url),
    }
}

/// The environment in which scripts run, if this program was built with them.
pub(crate) fn with_scripts(environment: Environment) -> Environment {
    #[cfg(feature = "scripts")]
    let environment = environment.with_scripts(std::sync::Arc::new(javascript::JavaScript::new()));
    environment
}

/// Runs a command's future on a new runtime.
pub(crate) fn block_on<T>(
    future: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        CommandError::new("starting the threads", error.to_string())
            .hint("Free memory or raise the limit on threads")
    })?;
    runtime.block_on(future)
}

/// The store's own messages start with the same words, so that the path is not printed twice.
fn cannot_open(folder: &Path) -> String {
    format!("cannot open the store at {}", shown_location(folder))
}

/// Rejects a folder without a store. A database is asked when it is opened.
pub(crate) fn refuse_missing(folder: &Path) -> Result<(), CommandError> {
    if database_url(folder).is_some() {
        return Ok(());
    }
    let refused = |why: &str| {
        let hint = "Give the folder of a store; `planisphere bench --keep` creates one to try";
        Err(CommandError::new(cannot_open(folder), why).hint(hint))
    };
    if !folder.exists() {
        return refused("there is no such folder");
    }
    let is_empty = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let is_unfinished = folder.join("CREATING").exists() && !folder.join("FORMAT").exists();
    if is_empty || is_unfinished {
        return refused("it does not contain a store");
    }
    Ok(())
}
