//! The file `MANIFEST`: which keyspaces the store has created, and how far each had come.
//!
//! Owns the bytes of the file and the refusal of a folder that lacks one of its keyspaces. Does not own the files
//! inside a keyspace: see `tree_files`.
//!
//! ```text
//! planisphere manifest
//! keyspace 0 14 -            number, version and name of each keyspace; 0 holds the tree's own list and has no name
//! keyspace 1 7 items
//! checksum 1f0c9d6f3b2a7e55  FNV-1a of all lines above
//! ```
//!
//! A version is a lower bound. The tree moves to newer ones at any time; the manifest follows when the store is opened
//! and closed. An older one means that somebody has put back an old file.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use storage::{Error, Result};

use super::tree_files::{KEYSPACES_FOLDER, current_version};
use crate::checksum::fnv1a;
use crate::error::{cannot_open_file, damaged};
use crate::folder_marker::sync_folder;

const FILE_NAME: &str = "MANIFEST";
const FILE_NAME_NEW: &str = "MANIFEST.new";
const TITLE: &str = "planisphere manifest";
/// The keyspace in which the tree keeps the list of the others.
const TREE_LIST: u64 = 0;
const NO_NAME: &str = "-";

/// The keyspaces of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyspaceManifest {
    keyspaces: Vec<KnownKeyspace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct KnownKeyspace {
    number: u64,
    /// The tree has reached at least this version of the keyspace.
    version: u64,
    name: String,
}

impl KeyspaceManifest {
    /// Reads the manifest of a store that must have one.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE_NAME);
        match fs::read(&path) {
            Ok(bytes) => Self::parse(&bytes).ok_or_else(|| {
                damaged(folder, &format!("its file {FILE_NAME} fails its checksum"))
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(damaged(folder, &format!("its file {FILE_NAME} is missing")))
            }
            Err(error) => Err(cannot_open_file(&path, error)),
        }
    }

    /// The manifest of the open tree in `tree_folder`, with its keyspaces by number and name.
    pub(crate) fn of_tree<'name>(
        folder: &Path,
        tree_folder: &Path,
        keyspaces: impl Iterator<Item = (u64, &'name str)>,
    ) -> Result<Self> {
        let listed = std::iter::once((TREE_LIST, NO_NAME)).chain(keyspaces);
        let keyspaces = listed.map(|(number, name)| {
            let files = tree_folder.join(KEYSPACES_FOLDER).join(number.to_string());
            let version = current_version(folder, &files)?.number;
            // The tree renames `current` and then syncs its folder. If a power cut undid the rename, the manifest would
            // be ahead of the tree and refuse it, so what was read is made durable before it is written down.
            sync_folder(&files).map_err(|error| cannot_open_file(&files, error))?;
            Ok(KnownKeyspace { number, version, name: name.to_owned() })
        });
        Ok(Self { keyspaces: keyspaces.collect::<Result<_>>()? })
    }

    /// Replaces the manifest on disk in one step that survives a power cut.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let write = || {
            let new = folder.join(FILE_NAME_NEW);
            let mut file = File::create(&new)?;
            file.write_all(self.print().as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, folder.join(FILE_NAME))?;
            sync_folder(folder)
        };
        write().map_err(|error| cannot_open_file(&folder.join(FILE_NAME), error))
    }

    /// The number of the keyspace with this name.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.keyspaces.iter().find(|known| known.name == name).map(|known| known.number)
    }

    /// The folder name and the name of every keyspace.
    pub(crate) fn keyspaces(&self) -> impl Iterator<Item = (u64, &str)> {
        self.keyspaces.iter().map(|known| (known.number, known.name.as_str()))
    }

    /// Refuses a tree that lacks a keyspace or holds an older version of one.
    pub(crate) fn check(&self, folder: &Path, tree_folder: &Path) -> Result<()> {
        for known in &self.keyspaces {
            let files = tree_folder.join(KEYSPACES_FOLDER).join(known.number.to_string());
            let found = current_version(folder, &files)?;
            if found.number < known.version {
                return Err(known.refused(
                    folder,
                    &format!(
                        "{} is an older copy: it names version {}, and the store had reached {}",
                        files.join("current").display(),
                        found.number,
                        known.version
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Refuses an open tree in which a keyspace has another number than it was created with, or is new although the
    /// manifest knows it.
    pub(crate) fn check_opened(
        &self,
        folder: &Path,
        opened: impl Fn(&str) -> Option<u64>,
    ) -> Result<()> {
        for known in self.keyspaces.iter().filter(|known| known.number != TREE_LIST) {
            // A space that this program no longer declares is not opened, and not its business.
            match opened(&known.name) {
                Some(number) if number != known.number => {
                    return Err(known.refused(folder, "the tree has replaced it by an empty one"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn print(&self) -> String {
        let mut text = format!("{TITLE}\n");
        for KnownKeyspace { number, version, name } in &self.keyspaces {
            text.push_str(&format!("keyspace {number} {version} {name}\n"));
        }
        let sum = fnv1a(text.bytes());
        text.push_str(&format!("checksum {sum:016x}\n"));
        text
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (listed, sum) = text.rsplit_once("checksum ")?;
        let sum = u64::from_str_radix(sum.strip_suffix('\n')?, 16).ok()?;
        if sum != fnv1a(listed.bytes()) {
            return None;
        }
        // Not `lines`, which also drops a carriage return: what is read must be what was written.
        let mut lines = listed.strip_suffix('\n')?.split('\n');
        (lines.next()? == TITLE).then_some(())?;
        let keyspaces = lines.map(|line| {
            let mut words = line.strip_prefix("keyspace ")?.splitn(3, ' ');
            let (number, version) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some(KnownKeyspace { number, version, name: words.next()?.to_owned() })
        });
        Some(Self { keyspaces: keyspaces.collect::<Option<_>>()? })
    }
}

impl KnownKeyspace {
    fn refused(&self, folder: &Path, what: &str) -> Error {
        damaged(folder, &format!("its keyspace {} ({}): {what}", self.number, self.name))
    }
}

/// For fuzzing: a manifest is refused, or printed again gives the same one.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_manifest(bytes: &[u8]) {
    // The second one has a checksum that holds, so that its lines are read.
    let text = String::from_utf8_lossy(bytes);
    let listed = format!("{TITLE}\n{text}\n");
    let summed = format!("{listed}checksum {:016x}\n", fnv1a(listed.bytes()));
    for bytes in [bytes, summed.as_bytes()] {
        if let Some(manifest) = KeyspaceManifest::parse(bytes) {
            assert_eq!(KeyspaceManifest::parse(manifest.print().as_bytes()), Some(manifest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> KeyspaceManifest {
        let known =
            |number, version, name: &str| KnownKeyspace { number, version, name: name.to_owned() };
        KeyspaceManifest { keyspaces: vec![known(0, 3, NO_NAME), known(1, 12, "items")] }
    }

    #[test]
    fn what_is_printed_is_parsed() {
        assert_eq!(KeyspaceManifest::parse(manifest().print().as_bytes()), Some(manifest()));
        assert_eq!(manifest().number("items"), Some(1));
        assert_eq!(manifest().number("terms"), None);
    }

    #[test]
    fn the_name_of_a_keyspace_keeps_its_last_character() {
        let known = KnownKeyspace { number: 4, version: 3, name: "odd\r".to_owned() };
        let manifest = KeyspaceManifest { keyspaces: vec![known] };
        assert_eq!(KeyspaceManifest::parse(manifest.print().as_bytes()), Some(manifest));
    }

    #[test]
    fn every_changed_byte_and_every_shorter_text_is_noticed() {
        let printed = manifest().print().into_bytes();
        for at in 0..printed.len() {
            assert_eq!(KeyspaceManifest::parse(printed.get(..at).unwrap()), None, "{at} bytes");
            let mut changed = printed.clone();
            *changed.get_mut(at).unwrap() ^= 0x01;
            assert_ne!(KeyspaceManifest::parse(&changed), Some(KeyspaceManifest::default()));
            assert!(KeyspaceManifest::parse(&changed).is_none(), "byte {at}");
        }
    }
}
