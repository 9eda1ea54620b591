//! From a path to an open store.
//!
//! Owns the order of the steps: recognise, lock, create or recover, verify, start the committer. Does not own the
//! steps. Every refusal names the path and what to do; nothing of a foreign folder is touched.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, mpsc};

use fjall::config::RestartIntervalPolicy;
use fjall::{Database, KeyspaceCreateOptions, Slice};
use storage::{Error, LastStamps, Result, Shard, Space, Stamp};

use crate::acknowledged::{self, Acknowledged};
use crate::commit::{Committer, Queue};
use crate::failure::{cannot_open, cannot_open_file, guarded, tree_did_not_open};
use crate::format::{self, Folder};
use crate::keyspaces::{Keyspaces, STAMPS};
use crate::lock::FolderLock;
use crate::recent::Recent;
use crate::settings::Settings;
use crate::store::{LsmStore, Shared};

const TREE: &str = "lsm";

/// A file the tree writes last when it creates its folder.
const TREE_VERSION: &str = "version";

/// In a block, one key in so many is whole; the others say how they differ from it, and a seek reads them one by one.
/// Four take a third off the seeks of a scan inside its blocks, and make the store three percent larger.
pub const WHOLE_KEYS_EVERY: u8 = 4;

impl LsmStore {
    /// Opens the store in a folder, or creates it in a missing or empty one.
    ///
    /// # Errors
    /// [`storage::ErrorKind::CannotOpen`] when the folder is locked, foreign, of another format or lacks acknowledged
    /// writes; [`storage::ErrorKind::Corrupt`] when its files are damaged; [`storage::ErrorKind::Refused`] when the
    /// settings or the spaces make no sense. The text names the path and what to do.
    pub fn open(
        path: impl AsRef<Path>,
        spaces: &'static [Space],
        settings: Settings,
    ) -> Result<Arc<Self>> {
        let path = path.as_ref();
        validate(spaces, &settings)?;
        prepare_folder(path)?;
        format::recognise(path)?;
        let lock = FolderLock::take(path)?;
        // Once more under the lock: another process may just have created the store.
        let keyspaces = match format::recognise(path)? {
            Folder::New => create(path, spaces, &settings)?,
            Folder::Store => recover(path, spaces, &settings)?,
        };
        format::forget_creation(path);
        let last_stamps = recovered_stamps(&keyspaces)?;
        let (acknowledged, promised) = Acknowledged::open(path)?;
        acknowledged::verify(path, &promised, |shard| last_stamps.last(shard))?;
        let closed = AtomicBool::new(false);
        let recent = Recent::new(settings.recent_bytes);
        let shared = Arc::new(Shared { keyspaces, last_stamps, recent, closed, lock });
        start(shared, &settings, acknowledged)
    }
}

fn validate(spaces: &[Space], settings: &Settings) -> Result<()> {
    if let Some(objection) = settings.objection() {
        return Err(Error::refused(objection));
    }
    for (position, space) in spaces.iter().enumerate() {
        let mut earlier = spaces.iter().take(position);
        let twice = earlier.any(|other| other.number == space.number || other.name == space.name);
        if twice || space.name.is_empty() || space.name == STAMPS {
            return Err(Error::refused(format!(
                "the space {:?} (number {}) is named twice or has a name that is not allowed",
                space.name, space.number
            )));
        }
    }
    Ok(())
}

fn prepare_folder(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(cannot_open(path, "it is a file; choose a folder")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            fs::create_dir_all(path).map_err(|error| cannot_open_file(path, error))
        }
        Err(error) => Err(cannot_open_file(path, error)),
    }
}

/// Creates the tree and then the marker. What an interrupted creation left behind is removed first.
fn create(path: &Path, spaces: &[Space], settings: &Settings) -> Result<Keyspaces> {
    format::begin_creation(path)?;
    let tree = path.join(TREE);
    match fs::remove_dir_all(&tree) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(cannot_open_file(&tree, error));
        }
        _ => {}
    }
    let keyspaces = open_tree(path, spaces, settings)?;
    format::finish_creation(path)?;
    Ok(keyspaces)
}

/// Opens the tree of an existing store, which the tree itself would silently start anew if its files were gone.
fn recover(path: &Path, spaces: &[Space], settings: &Settings) -> Result<Keyspaces> {
    if !path.join(TREE).join(TREE_VERSION).is_file() {
        let missing = "its folder lsm is missing or incomplete; restore the folder from a backup";
        return Err(cannot_open(path, missing));
    }
    open_tree(path, spaces, settings)
}

fn open_tree(path: &Path, spaces: &[Space], settings: &Settings) -> Result<Keyspaces> {
    let opened = guarded(|| {
        let database = Database::builder(path.join(TREE))
            .cache_size(settings.cache_bytes)
            .worker_threads(settings.worker_threads)
            .max_journaling_size(settings.journal_bytes_max)
            // The committer says how durable each batch is.
            .manual_journal_persist(true)
            .open()?;
        let options = || {
            KeyspaceCreateOptions::default()
                .max_memtable_size(settings.memtable_bytes_max)
                .data_block_restart_interval_policy(RestartIntervalPolicy::all(WHOLE_KEYS_EVERY))
        };
        let mut by_number = vec![None; usize::from(u8::MAX) + 1];
        for space in spaces {
            let keyspace = database.keyspace(space.name, options)?;
            if let Some(place) = by_number.get_mut(usize::from(space.number)) {
                *place = Some(keyspace);
            }
        }
        let stamps = database.keyspace(STAMPS, options)?;
        let memtable_bytes_max = settings.memtable_bytes_max;
        Ok(Keyspaces { path: path.to_owned(), database, by_number, stamps, memtable_bytes_max })
    });
    opened.map_err(|error| tree_did_not_open(path, error))
}

fn recovered_stamps(keyspaces: &Keyspaces) -> Result<LastStamps> {
    let read = guarded(|| keyspaces.stamps.iter().map(fjall::Guard::into_inner).collect());
    let entries: Vec<(Slice, Slice)> =
        read.map_err(|error| tree_did_not_open(&keyspaces.path, error))?;
    let last_stamps = LastStamps::new();
    for (shard, stamp) in entries {
        match (shard.as_ref().try_into(), stamp.as_ref().try_into()) {
            (Ok(shard), Ok(stamp)) => {
                let shard = Shard(u32::from_be_bytes(shard));
                last_stamps.publish(shard, Stamp(u64::from_be_bytes(stamp)));
            }
            _ => return Err(tree_did_not_open(&keyspaces.path, unreadable_stamp())),
        }
    }
    Ok(last_stamps)
}

fn unreadable_stamp() -> crate::failure::TreeError {
    crate::failure::TreeError::Panicked("the stamp of a shard has the wrong length".to_owned())
}

fn start(
    shared: Arc<Shared>,
    settings: &Settings,
    acknowledged: Acknowledged,
) -> Result<Arc<LsmStore>> {
    let queue = Arc::new(Queue::new(settings.commit_queue_max));
    let committer =
        Committer::new(Arc::clone(&shared), Arc::clone(&queue), settings.durability, acknowledged);
    let (alive, committer_gone) = mpsc::channel::<()>();
    let started = std::thread::Builder::new().name("committer".to_owned()).spawn(move || {
        committer.run();
        drop(alive);
    });
    started.map_err(|error| cannot_open_file(&shared.keyspaces.path, error))?;
    Ok(Arc::new(LsmStore { shared, queue, committer_gone: Mutex::new(committer_gone) }))
}
