//! Opening a folder as a store.
//!
//! Owns the order of the steps: inspect, lock, check the files, create or recover, start the committer; and opening the
//! tree again after a failed write. Does not own the steps.
//! Every error names the path and what to do, and a folder that is not ours is not modified.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, mpsc};

use fjall::Slice;
use storage::{Error, LastStamps, Result, Shard, Space, Stamp};

use crate::commit::{CommitQueue, Committer, OpenTree};
use crate::durable_stamps::{self, DurableStampFile};
use crate::error::{TreeError, cannot_open, cannot_open_file, catch_panic, tree_did_not_open};
use crate::folder_marker::{self, FolderState, sync_folder, sync_folders};
use crate::inner::LsmInner;
use crate::integrity::{
    FileChecker, KEYSPACES_FOLDER, KeyspaceManifest, KnownBatches, SealedJournals, VerifiedFiles,
    check_journals,
};
use crate::keyspaces::{Keyspaces, RUNS, STAMPS};
use crate::lock::FolderLock;
use crate::settings::LsmSettings;
use crate::stamp_entry::StampEntry;
use crate::store::LsmStore;

/// Permissions of a folder that only its owner can read, list and change.
const OWNER_ONLY: u32 = 0o700;

/// The folder of the tree inside that of the store.
const TREE_FOLDER: &str = "lsm";

/// The file that the tree writes last when it creates its folder.
const TREE_VERSION_FILE: &str = "version";

/// Bytes of tables whose content is compared with its checksum when a store is opened. It covers the newest tables of
/// an ordinary store and bounds the time for a large one, whose other tables `verify_files` reads.
const TABLE_BYTES_CHECKED: u64 = 16 * 1024 * 1024;

impl LsmStore {
    /// Opens the store in a folder, or creates it in a missing or empty one.
    ///
    /// # Errors
    /// [`storage::ErrorKind::CannotOpen`] when the folder is locked, foreign, in another format or lacks acknowledged
    /// writes; [`storage::ErrorKind::Corrupt`] when its files are missing, damaged or older than the store;
    /// [`storage::ErrorKind::Invalid`] when the settings or the spaces make no sense. The text names the path and what
    /// to do.
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
        let state = folder_marker::inspect(path)?;
        let created = match state {
            FolderState::Empty => Some(create(path, spaces, &settings)?),
            FolderState::Store
            | FolderState::StoreOfOlderValues
            | FolderState::StoreWithoutManifest => None,
        };
        // Also a folder that existed, or that an earlier version created: items are in it, and their index terms.
        restrict_to_owner(path);
        // Not before the creation is marked as started: with this file alone the folder would be a foreign one.
        let (mut stamp_file, durable) = DurableStampFile::open(path)?;
        let (keyspaces, recovered) = match (created, state) {
            (Some(created), _) => created,
            (None, FolderState::StoreWithoutManifest) => {
                upgrade(path, spaces, &settings, &durable)?
            }
            (None, FolderState::StoreOfOlderValues) => {
                let opened = recover(path, spaces, &settings, &durable, None)?;
                folder_marker::finish_creation(path)?;
                opened
            }
            (None, _) => recover(path, spaces, &settings, &durable, None)?,
        };
        folder_marker::remove_creation_mark(path);
        // Everything the tree holds now is on disk: the journal was synced, or written again (`integrity`).
        stamp_file
            .record_all(recovered.entries.iter().map(|entry| (entry.shard, entry.stamp)))
            .map_err(|error| cannot_open_file(path, error))?;
        let last_batch = recovered.last_batch;
        let inner = LsmInner::new(keyspaces, recovered.last_stamps, spaces, settings, lock);
        start_committer(Arc::new(inner), stamp_file, last_batch)
    }

    /// Reads every file of a store that is not open, and compares it with its checksum. Changes nothing.
    ///
    /// # Errors
    /// Those of [`LsmStore::open`].
    pub fn verify_files(path: impl AsRef<Path>) -> Result<VerifiedFiles> {
        let path = path.as_ref();
        if path.is_file() {
            return Err(not_a_folder(path));
        }
        let mut checker = FileChecker::new(path, u64::MAX);
        let state = folder_marker::inspect(path)?;
        if matches!(state, FolderState::Store | FolderState::StoreOfOlderValues) {
            let _lock = FolderLock::acquire(path)?;
            require_tree(path)?;
            check_tree(path, &KeyspaceManifest::read(path)?, &mut checker)?;
        }
        Ok(checker.verified())
    }
}

/// The open tree and the stamps it holds.
type OpenedTree = (Keyspaces, RecoveredStamps);

/// Opens the tree again after a failed write. The committer calls it while nobody else has the tree.
///
/// The batch of the failed write is dropped if it is in the journal: its callers may have read already that it was not
/// written, and it must not appear afterwards.
pub(crate) fn reopen(
    inner: &LsmInner,
    stamp_file: &DurableStampFile,
    last_batch: u64,
) -> Result<OpenedTree> {
    let durable = stamp_file.stamps();
    recover(inner.path(), inner.spaces, &inner.settings, &durable, Some(last_batch))
}

/// The stamps in the tree.
pub(crate) struct RecoveredStamps {
    pub(crate) entries: Vec<StampEntry>,
    pub(crate) last_stamps: LastStamps,
    /// The number of the last batch.
    pub(crate) last_batch: u64,
}

fn validate_spaces(spaces: &[Space]) -> Result<()> {
    for (position, space) in spaces.iter().enumerate() {
        let mut earlier = spaces.iter().take(position);
        let is_duplicate =
            earlier.any(|other| other.number == space.number || other.name == space.name);
        if is_duplicate || space.name.is_empty() || [STAMPS, RUNS].contains(&space.name) {
            return Err(Error::invalid(format!(
                "the space {:?} (number {}) is declared twice or has a name that is not allowed",
                space.name, space.number
            )));
        }
    }
    if spaces.iter().filter(|space| space.buffered).count() > 1 {
        return Err(Error::invalid("more than one space is buffered; a store buffers one"));
    }
    Ok(())
}

fn not_a_folder(path: &Path) -> Error {
    cannot_open(path, "it is a file; choose a folder")
}

fn create_folder(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(not_a_folder(path)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            fs::create_dir_all(path).map_err(|error| cannot_open_file(path, error))?;
            restrict_to_owner(path);
            Ok(())
        }
        Err(error) => Err(cannot_open_file(path, error)),
    }
}

/// Lets only the owner into a folder, whatever the files in it allow. If it belongs to somebody else, that one decides.
fn restrict_to_owner(path: &Path) {
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(OWNER_ONLY));
}

/// Creates the tree, the manifest and then the marker, after removing the remains of an interrupted creation.
fn create(path: &Path, spaces: &[Space], settings: &LsmSettings) -> Result<OpenedTree> {
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
    let recovered = RecoveredStamps::read(&keyspaces)?;
    write_manifest(&keyspaces)?;
    folder_marker::finish_creation(path)?;
    Ok((keyspaces, recovered))
}

/// Opens the tree of an existing store, after checking everything that the tree would silently replace or drop. Batches
/// after `last_batch` are dropped.
fn recover(
    path: &Path,
    spaces: &[Space],
    settings: &LsmSettings,
    durable: &[(Shard, Stamp)],
    last_batch: Option<u64>,
) -> Result<OpenedTree> {
    require_tree(path)?;
    settle_names(path)?;
    let manifest = KeyspaceManifest::read(path)?;
    check_tree(path, &manifest, &mut FileChecker::new(path, TABLE_BYTES_CHECKED))?;
    let stamps_keyspace = manifest.number(STAMPS);
    let known = KnownBatches { stamps_keyspace, durable, last_batch };
    let end = check_journals(path, &path.join(TREE_FOLDER), &known)?;
    let keyspaces = open_tree(path, spaces, settings)?;
    let recovered = RecoveredStamps::read(&keyspaces)?;
    // Before the committer starts: a store that has lost writes must not take new ones, whose stamps would repeat.
    durable_stamps::verify(path, durable, |shard| recovered.last_stamps.last(shard))?;
    end.check(path, recovered.last_batch)?;
    manifest.check_opened(path, |name| {
        keyspaces.numbers().find(|(_, opened)| *opened == name).map(|(number, _)| number)
    })?;
    // Before the first commit to a keyspace that was created just now: the manifest must know it by then.
    if keyspaces.numbers().any(|(_, name)| manifest.number(name).is_none()) {
        write_manifest(&keyspaces)?;
    }
    Ok((keyspaces, recovered))
}

/// Opens a store of format 1 and gives it the files of the later ones.
fn upgrade(
    path: &Path,
    spaces: &[Space],
    settings: &LsmSettings,
    durable: &[(Shard, Stamp)],
) -> Result<OpenedTree> {
    require_tree(path)?;
    settle_names(path)?;
    let known = KnownBatches { stamps_keyspace: None, durable, last_batch: None };
    check_journals(path, &path.join(TREE_FOLDER), &known)?;
    let keyspaces = open_tree(path, spaces, settings)?;
    let recovered = RecoveredStamps::read(&keyspaces)?;
    durable_stamps::verify(path, durable, |shard| recovered.last_stamps.last(shard))?;
    write_manifest(&keyspaces)?;
    folder_marker::finish_creation(path)?;
    Ok((keyspaces, recovered))
}

/// If the tree's files were gone, the tree would silently create new ones.
fn require_tree(path: &Path) -> Result<()> {
    if path.join(TREE_FOLDER).join(TREE_VERSION_FILE).is_file() {
        return Ok(());
    }
    let reason = "its folder lsm is missing or incomplete; restore the folder from a backup";
    Err(cannot_open(path, reason))
}

/// Makes every name durable before anything is concluded from it.
///
/// If the sync of a folder has failed, the names in it can be seen and are not on disk: a keyspace whose new version a
/// power cut would take back, or a journal that would be gone. The tree deletes what the newest version does not list,
/// and appends to the newest journal. Both must wait until the power cut can no longer undo that version or journal.
fn settle_names(path: &Path) -> Result<()> {
    sync_folders(path).map_err(|error| cannot_open_file(path, error))
}

fn check_tree(
    path: &Path,
    manifest: &KeyspaceManifest,
    checker: &mut FileChecker<'_>,
) -> Result<()> {
    let tree = path.join(TREE_FOLDER);
    manifest.check(path, &tree)?;
    for (number, _) in manifest.keyspaces() {
        checker.check(&tree.join(KEYSPACES_FOLDER).join(number.to_string()))?;
    }
    Ok(())
}

/// Writes down the keyspaces of the open tree and how far they have come.
pub(crate) fn write_manifest(keyspaces: &Keyspaces) -> Result<()> {
    let path = keyspaces.path();
    // The tree syncs the folder of a new keyspace, and not the folder that holds its name.
    let tree = path.join(TREE_FOLDER);
    for folder in [tree.join(KEYSPACES_FOLDER), tree] {
        sync_folder(&folder).map_err(|error| cannot_open_file(&folder, error))?;
    }
    KeyspaceManifest::of_tree(path, &path.join(TREE_FOLDER), keyspaces.numbers())?.write(path)
}

fn open_tree(path: &Path, spaces: &[Space], settings: &LsmSettings) -> Result<Keyspaces> {
    let opened = catch_panic(|| Keyspaces::open(path, &path.join(TREE_FOLDER), spaces, settings));
    let mut keyspaces = opened.map_err(|error| tree_did_not_open(path, error))?;
    keyspaces.recover_runs()?;
    Ok(keyspaces)
}

impl RecoveredStamps {
    /// Reads the newest stamp of every shard from the tree.
    fn read(keyspaces: &Keyspaces) -> Result<Self> {
        let read = || keyspaces.stamps().iter().map(fjall::Guard::into_inner).collect();
        let pairs: Vec<(Slice, Slice)> =
            catch_panic(read).map_err(|error| tree_did_not_open(keyspaces.path(), error))?;
        let mut recovered =
            Self { entries: Vec::new(), last_stamps: LastStamps::new(), last_batch: 0 };
        for (key, value) in pairs {
            let Some(entry) = StampEntry::decode(&key, &value) else {
                let reason = "the stamp of a shard has the wrong length".to_owned();
                return Err(tree_did_not_open(keyspaces.path(), TreeError::Panicked(reason)));
            };
            recovered.last_stamps.publish(entry.shard, entry.stamp);
            let number = entry.mark.map_or(0, |mark| mark.number);
            recovered.last_batch = recovered.last_batch.max(number);
            recovered.entries.push(entry);
        }
        Ok(recovered)
    }
}

fn start_committer(
    inner: Arc<LsmInner>,
    stamp_file: DurableStampFile,
    last_batch: u64,
) -> Result<Arc<LsmStore>> {
    let queue = Arc::new(CommitQueue::new(inner.settings.commit_queue_max));
    let sealed = SealedJournals::new(inner.path(), &inner.path().join(TREE_FOLDER));
    let tree = OpenTree { keyspaces: inner.keyspaces()?, last_batch, sealed };
    let committer = Committer::new(Arc::clone(&inner), Arc::clone(&queue), stamp_file, tree);
    // Not a join handle: dropping the store must be able to stop waiting, which `join` cannot.
    let (alive, committer_exit) = mpsc::channel::<()>();
    let spawned = std::thread::Builder::new().name("committer".to_owned()).spawn(move || {
        committer.run();
        // `run` consumes the committer, so its reference to the tree is gone when this disconnects.
        drop(alive);
    });
    spawned.map_err(|error| cannot_open_file(inner.path(), error))?;
    Ok(Arc::new(LsmStore::new(inner, queue, committer_exit)))
}
