//! The names in one folder: as a program sees them, and as they are on the disk.
//!
//! Owns what a power cut leaves of their changes. Does not own what the names stand for: see `disk`.

use std::collections::BTreeMap;
use std::ffi::OsString;

#[derive(Clone, Debug, Default)]
pub(crate) struct FolderNode {
    pub(crate) current: BTreeMap<OsString, u64>,
    durable: BTreeMap<OsString, u64>,
    unsynced: Vec<NameChange>,
}

#[derive(Clone, Debug)]
pub(super) enum NameChange {
    Set(OsString, u64),
    Remove(OsString),
    Rename(OsString, OsString),
}

impl FolderNode {
    pub(super) fn change(&mut self, change: NameChange) {
        change.apply(&mut self.current);
        self.unsynced.push(change);
    }

    pub(super) fn sync(&mut self) {
        self.durable = self.current.clone();
        self.unsynced.clear();
    }

    /// The folder after a power cut. Of the changes since the last sync a beginning survives, as with a file system
    /// that has a log, or each by itself, as POSIX allows. A rename happens as a whole or not at all.
    pub(super) fn survivor(&self, random: &mut fastrand::Rng, chance: f64) -> Self {
        let mut names = self.durable.clone();
        let in_order = random.bool();
        for change in &self.unsynced {
            match (random.f64() < chance, in_order) {
                (true, _) => change.apply(&mut names),
                (false, true) => break,
                (false, false) => {}
            }
        }
        Self { current: names.clone(), durable: names, unsynced: Vec::new() }
    }
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<OsString, u64>) {
        match self {
            Self::Set(name, number) => {
                names.insert(name.clone(), *number);
            }
            Self::Remove(name) => {
                names.remove(name);
            }
            Self::Rename(from, to) => {
                if let Some(number) = names.remove(from) {
                    names.insert(to.clone(), number);
                }
            }
        }
    }
}
