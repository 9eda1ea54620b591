//! A disk whose unsynced writes a power cut drops, tears and reorders.
//!
//! Owns what survives. Data: of every file, each unsynced sector survives or not by itself, and so does its length.
//! Names: of every folder, a prefix of the changes since its last sync survives; a file that was synced is gone if its
//! name is. A failed sync loses what it should have written for good: the data can be read until the power is cut, and
//! a later sync that succeeds does not write it, unless it was written again. That is how Linux behaves.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

pub(crate) const ROOT: u64 = 1;
const SECTOR_BYTES: u64 = 512;
type Sector = [u8; SECTOR_BYTES as usize];

/// The failure of an operation, as a number of the operating system.
pub(crate) type Result<T> = std::result::Result<T, i32>;

#[derive(Debug)]
pub(crate) struct Disk {
    nodes: BTreeMap<u64, Node>,
    next_number: u64,
    random: fastrand::Rng,
    /// Writes and syncs until the power is cut.
    operations_left: Option<u64>,
    /// Syncs of files until one fails.
    syncs_left: Option<u64>,
    pub(crate) syncs_failed: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    File(Box<FileNode>),
    Folder(FolderNode),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct FileNode {
    current: Content,
    durable: Content,
    /// Sectors written since the last sync.
    dirty: BTreeSet<u64>,
    /// The shortest length since the last sync.
    cut_to: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct Content {
    length: u64,
    sectors: BTreeMap<u64, Sector>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct FolderNode {
    pub(crate) current: BTreeMap<OsString, u64>,
    durable: BTreeMap<OsString, u64>,
    unsynced: Vec<NameChange>,
}

#[derive(Clone, Debug)]
enum NameChange {
    Set(OsString, u64),
    Remove(OsString),
    Rename(OsString, OsString),
}

impl Content {
    fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        let end = self.length.min(offset + length);
        let mut bytes = Vec::new();
        let mut at = offset;
        while at < end {
            let within = at % SECTOR_BYTES;
            let step = (SECTOR_BYTES - within).min(end - at);
            match self.sectors.get(&(at / SECTOR_BYTES)) {
                Some(sector) => {
                    bytes.extend_from_slice(&sector[within as usize..(within + step) as usize]);
                }
                None => bytes.resize(bytes.len() + step as usize, 0),
            }
            at += step;
        }
        bytes
    }

    fn cut(&mut self, length: u64) {
        self.length = self.length.min(length);
        let kept = length.div_ceil(SECTOR_BYTES);
        self.sectors.retain(|number, _| *number < kept);
        let within = (length % SECTOR_BYTES) as usize;
        if let Some(sector) = self.sectors.get_mut(&(length / SECTOR_BYTES)) {
            sector[within..].fill(0);
        }
    }
}

impl FileNode {
    pub(crate) fn length(&self) -> u64 {
        self.current.length
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = offset + (bytes.len() - rest.len()) as u64;
            let (number, within) = (at / SECTOR_BYTES, (at % SECTOR_BYTES) as usize);
            let (part, left) = rest.split_at(rest.len().min(SECTOR_BYTES as usize - within));
            let sector = self.current.sectors.entry(number).or_insert([0; SECTOR_BYTES as usize]);
            sector[within..within + part.len()].copy_from_slice(part);
            self.dirty.insert(number);
            rest = left;
        }
        self.current.length = self.current.length.max(offset + bytes.len() as u64);
    }

    fn resize(&mut self, length: u64) {
        if length < self.current.length {
            self.current.cut(length);
            self.cut_to = Some(self.cut_to.map_or(length, |earlier| earlier.min(length)));
        }
        self.current.length = length;
    }

    /// Makes chosen sectors and, if `with_length`, the length durable.
    fn persist(&mut self, with_length: bool, chosen: impl Fn(&u64) -> bool) {
        if let (true, Some(length)) = (with_length, self.cut_to) {
            self.durable.cut(length);
        }
        for number in self.dirty.iter().filter(|number| chosen(number)) {
            match self.current.sectors.get(number) {
                Some(sector) => self.durable.sectors.insert(*number, *sector),
                None => self.durable.sectors.remove(number),
            };
        }
        if with_length {
            self.durable.length = self.current.length;
        }
    }

    fn forget_dirty(&mut self) {
        self.dirty.clear();
        self.cut_to = None;
    }
}

impl FolderNode {
    fn change(&mut self, change: NameChange) {
        change.apply(&mut self.current);
        self.unsynced.push(change);
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

impl Disk {
    pub(crate) fn new(seed: u64) -> Self {
        let nodes = BTreeMap::from([(ROOT, Node::Folder(FolderNode::default()))]);
        let random = fastrand::Rng::with_seed(seed);
        Self {
            nodes,
            next_number: ROOT + 1,
            random,
            operations_left: None,
            syncs_left: None,
            syncs_failed: 0,
        }
    }

    /// Cuts the power after so many writes and syncs.
    pub(crate) fn cut_after(&mut self, operations: u64) {
        self.operations_left = Some(operations);
    }

    /// Lets one sync fail, after so many that succeed.
    pub(crate) fn fail_sync_after(&mut self, syncs: u64) {
        self.syncs_left = Some(syncs);
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.operations_left == Some(0)
    }

    /// What is on the disk when the power comes back.
    pub(crate) fn survivors(&mut self) -> Self {
        let mut random = self.random.fork();
        // Sometimes nothing unsynced survives, sometimes nearly all of it.
        let chance = [0.0, 0.3, 0.7, 0.95, 1.0][random.usize(..5)];
        let mut nodes = BTreeMap::new();
        for (number, node) in &self.nodes {
            nodes.insert(
                *number,
                match node {
                    Node::File(file) => {
                        let mut file = file.clone();
                        let with_length = random.f64() < chance;
                        let seed = random.u64(..);
                        file.persist(with_length, |number| {
                            fastrand::Rng::with_seed(seed ^ number.wrapping_mul(0x9E37_79B9)).f64()
                                < chance
                        });
                        file.forget_dirty();
                        // A length that survives without its sectors shows zeros; sectors without it are invisible.
                        file.current = file.durable.clone();
                        Node::File(file)
                    }
                    Node::Folder(folder) => {
                        let mut names = folder.durable.clone();
                        let kept = match chance {
                            1.0 => folder.unsynced.len(),
                            _ => random.usize(..=folder.unsynced.len()),
                        };
                        folder
                            .unsynced
                            .iter()
                            .take(kept)
                            .for_each(|change| change.apply(&mut names));
                        let (current, durable) = (names.clone(), names);
                        Node::Folder(FolderNode { current, durable, unsynced: Vec::new() })
                    }
                },
            );
        }
        Self { nodes, random, operations_left: None, syncs_left: None, ..*self }
    }

    /// Counts an operation that changes the disk; fails from the power cut on.
    fn step(&mut self) -> Result<()> {
        match &mut self.operations_left {
            Some(0) => Err(libc::EIO),
            Some(left) => {
                *left -= 1;
                if *left == 0 { Err(libc::EIO) } else { Ok(()) }
            }
            None => Ok(()),
        }
    }

    pub(crate) fn node(&self, number: u64) -> Result<&Node> {
        if self.is_cut() { Err(libc::EIO) } else { self.nodes.get(&number).ok_or(libc::ENOENT) }
    }

    pub(crate) fn folder(&self, number: u64) -> Result<&FolderNode> {
        match self.node(number)? {
            Node::Folder(folder) => Ok(folder),
            Node::File(_) => Err(libc::ENOTDIR),
        }
    }

    pub(crate) fn find(&self, folder: u64, name: &OsStr) -> Result<u64> {
        self.folder(folder)?.current.get(name).copied().ok_or(libc::ENOENT)
    }

    fn folder_mut(&mut self, number: u64) -> Result<&mut FolderNode> {
        self.step()?;
        match self.nodes.get_mut(&number) {
            Some(Node::Folder(folder)) => Ok(folder),
            _ => Err(libc::ENOTDIR),
        }
    }

    fn file_mut(&mut self, number: u64) -> Result<&mut FileNode> {
        self.step()?;
        match self.nodes.get_mut(&number) {
            Some(Node::File(file)) => Ok(file),
            _ => Err(libc::EISDIR),
        }
    }

    pub(crate) fn create(&mut self, folder: u64, name: &OsStr, is_folder: bool) -> Result<u64> {
        let number = self.next_number;
        self.folder_mut(folder)?.change(NameChange::Set(name.to_owned(), number));
        let node = match is_folder {
            true => Node::Folder(FolderNode::default()),
            false => Node::File(Box::default()),
        };
        self.nodes.insert(number, node);
        self.next_number += 1;
        Ok(number)
    }

    pub(crate) fn link(&mut self, number: u64, folder: u64, name: &OsStr) -> Result<()> {
        self.folder_mut(folder)?.change(NameChange::Set(name.to_owned(), number));
        Ok(())
    }

    pub(crate) fn remove(&mut self, folder: u64, name: &OsStr) -> Result<()> {
        self.find(folder, name)?;
        self.folder_mut(folder)?.change(NameChange::Remove(name.to_owned()));
        Ok(())
    }

    pub(crate) fn rename(&mut self, folder: u64, from: &OsStr, to: &OsStr) -> Result<()> {
        self.find(folder, from)?;
        let change = NameChange::Rename(from.to_owned(), to.to_owned());
        self.folder_mut(folder)?.change(change);
        Ok(())
    }

    pub(crate) fn read(&self, number: u64, offset: u64, length: u64) -> Result<Vec<u8>> {
        match self.node(number)? {
            Node::File(file) => Ok(file.current.read(offset, length)),
            Node::Folder(_) => Err(libc::EISDIR),
        }
    }

    pub(crate) fn write(&mut self, number: u64, offset: u64, bytes: &[u8]) -> Result<()> {
        self.file_mut(number)?.write(offset, bytes);
        Ok(())
    }

    pub(crate) fn resize(&mut self, number: u64, length: u64) -> Result<()> {
        self.file_mut(number)?.resize(length);
        Ok(())
    }

    pub(crate) fn sync_file(&mut self, number: u64) -> Result<()> {
        let fails = self.syncs_left == Some(0);
        self.syncs_left = if fails { None } else { self.syncs_left.map(|left| left - 1) };
        let file = self.file_mut(number)?;
        if !fails {
            file.persist(true, |_| true);
        }
        // Also after a failure: nothing is dirty any more, and what was not written is lost.
        file.forget_dirty();
        if fails {
            self.syncs_failed += 1;
            return Err(libc::EIO);
        }
        Ok(())
    }

    pub(crate) fn sync_folder(&mut self, number: u64) -> Result<()> {
        let folder = self.folder_mut(number)?;
        folder.durable = folder.current.clone();
        folder.unsynced.clear();
        Ok(())
    }
}

#[test]
fn only_what_was_synced_certainly_survives() {
    let (mut lost, mut kept, mut torn) = (0, 0, 0);
    for seed in 0..200 {
        let mut disk = Disk::new(seed);
        let name = OsStr::new("file");
        let file = disk.create(ROOT, name, false).unwrap();
        disk.write(file, 0, &[1; 1024]).unwrap();
        disk.sync_file(file).unwrap();
        disk.sync_folder(ROOT).unwrap();
        disk.write(file, 0, &[2; 2048]).unwrap();
        let survivor = disk.survivors();
        let bytes = survivor.read(survivor.find(ROOT, name).unwrap(), 0, 4096).unwrap();
        assert!(bytes.len() == 1024 || bytes.len() == 2048, "{}", bytes.len());
        let twos = bytes.iter().filter(|byte| **byte == 2).count();
        match twos {
            0 => lost += 1,
            2048 => kept += 1,
            _ => torn += 1,
        }
    }
    assert!(lost > 10 && kept > 10 && torn > 10, "{lost} {kept} {torn}");
}

#[test]
fn a_later_sync_does_not_cover_a_failed_one() {
    let mut disk = Disk::new(1);
    let name = OsStr::new("file");
    let file = disk.create(ROOT, name, false).unwrap();
    disk.sync_folder(ROOT).unwrap();
    disk.write(file, 0, &[1; 512]).unwrap();
    disk.fail_sync_after(0);
    assert_eq!(disk.sync_file(file), Err(libc::EIO));
    disk.write(file, 512, &[2; 512]).unwrap();
    disk.sync_file(file).unwrap();
    assert_eq!(disk.read(file, 0, 1).unwrap(), [1], "it is still in the cache");
    let survivor = disk.survivors();
    assert_eq!(survivor.read(file, 0, 1).unwrap(), [0]);
    assert_eq!(survivor.read(file, 512, 1).unwrap(), [2]);
}
