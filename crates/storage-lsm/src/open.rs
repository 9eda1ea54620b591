//! Opening a folder as a store.
//!
//! Owns the order of the steps: inspect, lock, create or recover, verify, start the committer. Does not own the steps.
//! Every error names the path and what to do, and a folder that is not ours is not modified.

use std::fs;
use std::path::Path;
use std::sync::{Arc, mpsc};

use fjall::Slice;
use storage::{Error, LastStamps, Result, Shard, Space, Stamp};

use crate::commit::{CommitQueue, Committer};
use crate::durable_stamps::{self, DurableStampFile};
use crate::error::{TreeError, cannot_open, cannot_open_file, catch_panic, tree_did_not_open};
use crate::folder_marker::{self, FolderState};
use crate::inner::LsmInner;
use crate::keyspaces::{Keyspaces, STAMPS};
use crate::lock::FolderLock;
use crate::read_cache::ReadCache;
use crate::settings::LsmSettings;
use crate::store::LsmStore;

/// The folder of the tree inside that of the store.
const TREE_FOLDER: &str = "lsm";

/// The file that the tree writes last when it creates its folder.
const TREE_VERSION_FILE: &str = "version";

impl LsmStore {
    /// Opens the store in a folder, or creates it in a missing or empty one.
    ///
    /// # Errors
    /// [`storage::ErrorKind::CannotOpen`] when the folder is locked, foreign, in another format or lacks acknowledged
    /// writes; [`storage::ErrorKind::Corrupt`] when its files are damaged; [`storage::ErrorKind::Invalid`] when the
    /// settings or the spaces make no sense. The text names the path and what to do.
    pub fn open(
        path: impl AsRef<Path>,
        spaces: &'static [Space],
        settings: LsmSettings,
    ) -> Result<Arc<Self>> {
        let path = path.as_ref();
        settings.validate()?;
        validate_spaces(spaces)?;
        create_folder(path)?;
        // Before the lock: it creates a file, and a foreign folder must not be modified.
        folder_marker::inspect(path)?;
        let lock = FolderLock::acquire(path)?;
        // Again under the lock: another process may have created the store in the meantime.
        let keyspaces = match folder_marker::inspect(path)? {
            FolderState::Empty => create(path, spaces, &settings)?,
            FolderState::Store => recover(path, spaces, &settings)?,
        };
        folder_marker::remove_creation_mark(path);
        let last_stamps = read_stamps(&keyspaces)?;
        let (stamp_file, durable) = DurableStampFile::open(path)?;
        // Before the committer starts: a store that has lost writes must not take new ones, whose stamps would repeat.
        durable_stamps::verify(path, &durable, |shard| last_stamps.last(shard))?;
        let read_cache = ReadCache::new(settings.read_cache_bytes);
        let inner = Arc::new(LsmInner::new(keyspaces, last_stamps, read_cache, lock));
        start_committer(inner, &settings, stamp_file)
    }
}

fn validate_spaces(spaces: &[Space]) -> Result<()> {
    for (position, space) in spaces.iter().enumerate() {
        let mut earlier = spaces.iter().take(position);
        let is_duplicate =
            earlier.any(|other| other.number == space.number || other.name == space.name);
        if is_duplicate || space.name.is_empty() || space.name == STAMPS {
            return Err(Error::invalid(format!(
                "the space {:?} (number {}) is declared twice or has a name that is not allowed",
                space.name, space.number
            )));
        }
    }
    Ok(())
}

fn create_folder(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(cannot_open(path, "it is a file; choose a folder")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            fs::create_dir_all(path).map_err(|error| cannot_open_file(path, error))
        }
        Err(error) => Err(cannot_open_file(path, error)),
    }
}

/// Creates the tree and then the marker, after removing the remains of an interrupted creation.
fn create(path: &Path, spaces: &[Space], settings: &LsmSettings) -> Result<Keyspaces> {
    folder_marker::begin_creation(path)?;
    let tree = path.join(TREE_FOLDER);
    // The remains of an interrupted creation. `inspect` has refused every folder that might hold anything else.
    match fs::remove_dir_all(&tree) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(cannot_open_file(&tree, error));
        }
        _ => {}
    }
    let keyspaces = open_tree(path, spaces, settings)?;
    folder_marker::finish_creation(path)?;
    Ok(keyspaces)
}

/// Opens the tree of an existing store. If the tree's files were gone, the tree would silently create new ones, so
/// their absence is checked here.
fn recover(path: &Path, spaces: &[Space], settings: &LsmSettings) -> Result<Keyspaces> {
    if !path.join(TREE_FOLDER).join(TREE_VERSION_FILE).is_file() {
        let reason = "its folder lsm is missing or incomplete; restore the folder from a backup";
        return Err(cannot_open(path, reason));
    }
    open_tree(path, spaces, settings)
}

fn open_tree(path: &Path, spaces: &[Space], settings: &LsmSettings) -> Result<Keyspaces> {
    let opened = catch_panic(|| Keyspaces::open(path, &path.join(TREE_FOLDER), spaces, settings));
    opened.map_err(|error| tree_did_not_open(path, error))
}

/// Reads the newest stamp of every shard from the tree.
fn read_stamps(keyspaces: &Keyspaces) -> Result<LastStamps> {
    let read = catch_panic(|| keyspaces.stamps().iter().map(fjall::Guard::into_inner).collect());
    let entries: Vec<(Slice, Slice)> =
        read.map_err(|error| tree_did_not_open(keyspaces.path(), error))?;
    let last_stamps = LastStamps::new();
    for (shard, stamp) in entries {
        match (shard.as_ref().try_into(), stamp.as_ref().try_into()) {
            (Ok(shard), Ok(stamp)) => {
                let shard = Shard(u32::from_be_bytes(shard));
                last_stamps.publish(shard, Stamp(u64::from_be_bytes(stamp)));
            }
            _ => {
                let reason = "the stamp of a shard has the wrong length".to_owned();
                return Err(tree_did_not_open(keyspaces.path(), TreeError::Panicked(reason)));
            }
        }
    }
    Ok(last_stamps)
}

fn start_committer(
    inner: Arc<LsmInner>,
    settings: &LsmSettings,
    stamp_file: DurableStampFile,
) -> Result<Arc<LsmStore>> {
    let queue = Arc::new(CommitQueue::new(settings.commit_queue_max));
    let committer =
        Committer::new(Arc::clone(&inner), Arc::clone(&queue), settings.durability, stamp_file);
    // Not a join handle: dropping the store must be able to stop waiting, which `join` cannot.
    let (alive, committer_exit) = mpsc::channel::<()>();
    let spawned = std::thread::Builder::new().name("committer".to_owned()).spawn(move || {
        committer.run();
        // `run` consumes the committer, so its reference to the tree is gone when this disconnects.
        drop(alive);
    });
    spawned.map_err(|error| cannot_open_file(inner.keyspaces.path(), error))?;
    Ok(Arc::new(LsmStore::new(inner, queue, committer_exit)))
}
