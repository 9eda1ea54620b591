//! The state that the store handle, its snapshots and the committer share.
//!
//! Owns the open tree and its exchange: after a failed write the tree refuses everything until it is opened again,
//! which the committer does here without anybody noticing more than a pause. Does not own reading (`read`) or writing
//! (`commit`).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use storage::{LastStamps, Result, Space};

use crate::error::{closed, recovering};
use crate::keyspaces::Keyspaces;
use crate::lock::FolderLock;
use crate::read_cache::ReadCache;
use crate::settings::LsmSettings;

/// How long an exchange waits for the readers of the old tree, and in which steps.
const READERS_TIMEOUT: Duration = Duration::from_secs(10);
const READERS_INTERVAL: Duration = Duration::from_millis(1);

/// What readers, snapshots and the committer share.
pub(crate) struct LsmInner {
    // Fields are dropped in this order: the tree closes its files before the folder lock is released.
    /// `None` while it is exchanged, and after an exchange that failed.
    tree: RwLock<Option<Arc<Keyspaces>>>,
    path: PathBuf,
    pub(crate) spaces: &'static [Space],
    pub(crate) settings: LsmSettings,
    pub(crate) last_stamps: LastStamps,
    pub(crate) read_cache: ReadCache,
    /// Why writes are refused.
    write_failure: Mutex<Option<String>>,
    closed: AtomicBool,
    #[expect(dead_code, reason = "held until the last handle or snapshot is dropped")]
    lock: FolderLock,
}

impl LsmInner {
    pub(crate) fn new(
        keyspaces: Keyspaces,
        last_stamps: LastStamps,
        spaces: &'static [Space],
        settings: LsmSettings,
        lock: FolderLock,
    ) -> Self {
        Self {
            path: keyspaces.path().to_owned(),
            tree: RwLock::new(Some(Arc::new(keyspaces))),
            spaces,
            settings,
            last_stamps,
            read_cache: ReadCache::new(settings.read_cache_bytes),
            write_failure: Mutex::default(),
            closed: AtomicBool::new(false),
            lock,
        }
    }

    /// The folder of the store.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The open tree. Whoever holds it delays an exchange, so it is held for one call and not longer.
    pub(crate) fn keyspaces(&self) -> Result<Arc<Keyspaces>> {
        let tree = self.tree.read().unwrap_or_else(PoisonError::into_inner);
        tree.clone().ok_or_else(|| recovering(&self.path))
    }

    /// Closes the tree and puts in its place what `open` returns. Readers that arrive meanwhile wait. If `open` fails,
    /// the store has no tree until a later exchange succeeds.
    pub(crate) fn exchange(&self, open: impl FnOnce() -> Result<Keyspaces>) -> Result<()> {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = tree.take() {
            // The tree locks its folder, so the old one must be gone before the new one is opened.
            if let Err(old) = wait_until_unused(old) {
                *tree = Some(old);
                return Err(recovering(&self.path));
            }
        }
        *tree = Some(Arc::new(open()?));
        Ok(())
    }

    /// Why writes are refused; `None` if they are accepted.
    pub(crate) fn write_failure(&self) -> Option<String> {
        self.write_failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_write_failure(&self, reason: Option<String>) {
        *self.write_failure.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Closes the store for further calls; fails if it is closed already.
    pub(crate) fn close(&self) -> Result<()> {
        // One step: of two callers that close at once, one gets the error.
        if self.closed.swap(true, Ordering::AcqRel) { Err(closed()) } else { Ok(()) }
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_closed() { Err(closed()) } else { Ok(()) }
    }
}

/// Drops the tree as soon as nobody else uses it, or gives it back.
fn wait_until_unused(mut tree: Arc<Keyspaces>) -> std::result::Result<(), Arc<Keyspaces>> {
    let mut waited = Duration::ZERO;
    loop {
        tree = match Arc::try_unwrap(tree) {
            Ok(keyspaces) => {
                drop(keyspaces);
                return Ok(());
            }
            Err(tree) if waited >= READERS_TIMEOUT => return Err(tree),
            Err(tree) => tree,
        };
        std::thread::sleep(READERS_INTERVAL);
        waited += READERS_INTERVAL;
    }
}
