//! A disk whose unsynced writes a power cut drops, tears and reorders.
//!
//! Owns the files and folders, and when the power is cut or a sync fails. Data: of every file, each unsynced sector
//! survives or not by itself, and so does its length. Names: see `names`; a file that was synced is gone if its name
//! is. A failed sync loses what it should have written for good, as on Linux: the data can be read until the power is
//! cut, and a later sync that succeeds does not write it, unless it was written again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::content::FileNode;
use super::names::{FolderNode, NameChange};

pub(crate) const ROOT: u64 = 1;

/// The failure of an operation, as a number of the operating system.
pub(crate) type Result<T> = std::result::Result<T, i32>;

#[derive(Debug)]
pub(crate) struct Disk {
    nodes: BTreeMap<u64, Node>,
    next_number: u64,
    random: fastrand::Rng,
    /// Operations that change something, until the power is cut.
    operations_left: Option<u64>,
    failing_syncs: FailingSyncs,
    syncs_failed: u64,
}

/// Syncs that are about to fail.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FailingSyncs {
    /// Syncs that succeed before.
    pub(crate) after: u64,
    /// Syncs that fail then.
    pub(crate) count: u64,
    /// Whether only syncs of folders count and fail.
    pub(crate) only_folders: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    File(Box<FileNode>),
    Folder(FolderNode),
}

impl Disk {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            nodes: BTreeMap::from([(ROOT, Node::Folder(FolderNode::default()))]),
            next_number: ROOT + 1,
            random: fastrand::Rng::with_seed(seed),
            operations_left: None,
            failing_syncs: FailingSyncs::default(),
            syncs_failed: 0,
        }
    }

    /// Cuts the power after so many operations that change something.
    pub(crate) fn cut_after(&mut self, operations: u64) {
        self.operations_left = Some(operations);
    }

    pub(crate) fn cut_now(&mut self) {
        self.operations_left = Some(0);
    }

    pub(crate) fn fail_syncs(&mut self, failing: FailingSyncs) {
        self.failing_syncs = failing;
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.operations_left == Some(0)
    }

    pub(crate) fn syncs_failed(&self) -> u64 {
        self.syncs_failed
    }

    /// What is on the disk when the power comes back.
    pub(crate) fn survivors(&mut self) -> Self {
        // Sometimes nothing unsynced survives, sometimes nearly all of it.
        let chance = [0.0, 0.3, 0.7, 0.95, 1.0][self.random.usize(..5)];
        self.survivors_with(chance)
    }

    /// As [`Self::survivors`], with this chance for everything that was not synced.
    pub(crate) fn survivors_with(&mut self, chance: f64) -> Self {
        let mut random = self.random.fork();
        let survivor = |(number, node): (&u64, &Node)| {
            let node = match node {
                Node::File(file) => Node::File(Box::new(file.survivor(&mut random, chance))),
                Node::Folder(folder) => Node::Folder(folder.survivor(&mut random, chance)),
            };
            (*number, node)
        };
        let nodes = self.nodes.iter().map(survivor).collect();
        let next_number = self.next_number;
        Self { nodes, next_number, ..Self::new(random.u64(..)) }
    }

    /// Writes everything into an ordinary folder.
    pub(crate) fn copy_to(&self, target: &Path) -> std::io::Result<()> {
        self.copy_folder(ROOT, target)
    }

    fn copy_folder(&self, number: u64, target: &Path) -> std::io::Result<()> {
        fs::create_dir_all(target)?;
        let Some(Node::Folder(folder)) = self.nodes.get(&number) else { return Ok(()) };
        for (name, number) in &folder.current {
            let path = target.join(name);
            match self.nodes.get(number) {
                Some(Node::File(file)) => {
                    let mut copy = fs::File::create(&path)?;
                    copy.set_len(file.length())?;
                    for (place, sector) in file.sectors() {
                        copy.seek(SeekFrom::Start(place))?;
                        copy.write_all(sector)?;
                    }
                    // The last sector may reach beyond the end.
                    copy.set_len(file.length())?;
                }
                _ => self.copy_folder(*number, &path)?,
            }
        }
        Ok(())
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

    /// How many names a file has. The system refuses to link one that it takes for deleted.
    pub(crate) fn names_of(&self, number: u64) -> u32 {
        let mut count = 0;
        for node in self.nodes.values() {
            if let Node::Folder(folder) = node {
                count += folder.current.values().filter(|named| **named == number).count();
            }
        }
        u32::try_from(count).unwrap()
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
        if self.find(folder, name).is_ok() {
            return Err(libc::EEXIST);
        }
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
        if self.find(folder, name).is_ok() {
            return Err(libc::EEXIST);
        }
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
            Node::File(file) => Ok(file.read(offset, length)),
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
        let mut random = self.random.fork();
        let fails = self.failing_syncs.next_fails(false);
        let file = self.file_mut(number)?;
        if fails {
            file.fail_sync(&mut random);
            self.syncs_failed += 1;
            return Err(libc::EIO);
        }
        file.sync();
        Ok(())
    }

    pub(crate) fn sync_folder(&mut self, number: u64) -> Result<()> {
        let fails = self.failing_syncs.next_fails(true);
        let folder = self.folder_mut(number)?;
        if fails {
            // Names are metadata: they stay in memory and are written by the next sync.
            self.syncs_failed += 1;
            return Err(libc::EIO);
        }
        folder.sync();
        Ok(())
    }
}

impl FailingSyncs {
    fn next_fails(&mut self, is_folder: bool) -> bool {
        if self.count == 0 || (self.only_folders && !is_folder) {
            return false;
        }
        let fails = self.after == 0;
        if fails {
            self.count -= 1;
        } else {
            self.after -= 1;
        }
        fails
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
fn a_synced_file_without_a_synced_name_may_be_gone() {
    let outcome = |seed| {
        let mut disk = Disk::new(seed);
        let file = disk.create(ROOT, OsStr::new("file"), false).unwrap();
        disk.sync_file(file).unwrap();
        disk.survivors().find(ROOT, OsStr::new("file")).is_ok()
    };
    let kept = (0..100).filter(|seed| outcome(*seed)).count();
    assert!((10..90).contains(&kept), "{kept}");
}

#[test]
fn a_later_sync_of_the_disk_does_not_write_what_a_failed_one_has_lost() {
    let lost = |seed| {
        let mut disk = Disk::new(seed);
        let name = OsStr::new("file");
        let file = disk.create(ROOT, name, false).unwrap();
        disk.sync_folder(ROOT).unwrap();
        disk.write(file, 0, &[1; 512]).unwrap();
        disk.fail_syncs(FailingSyncs { count: 1, ..FailingSyncs::default() });
        assert_eq!(disk.sync_file(file), Err(libc::EIO));
        disk.write(file, 512, &[2; 512]).unwrap();
        disk.sync_file(file).unwrap();
        assert_eq!(disk.read(file, 0, 1).unwrap(), [1], "it is still in the cache");
        let survivor = disk.survivors();
        assert_eq!(survivor.read(file, 512, 1).unwrap(), [2]);
        survivor.read(file, 0, 1).unwrap() == [0]
    };
    let lost = (0..100).filter(|seed| lost(*seed)).count();
    assert!((10..90).contains(&lost), "{lost}");
}
