//! The disk as a file system that the operating system mounts.
//!
//! Owns the translation of calls. Does not own what they do: see `disk`.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use fuser::{
    BackgroundSession, FileAttr, FileType, Filesystem, MountOption, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, TimeOrNow,
};

use super::disk::{Disk, Node, Result};

/// The system may keep what it knows of a file this long; nothing but the system changes it.
const KNOWN: Duration = Duration::from_secs(60);
const BLOCK_BYTES: u32 = 4096;

pub(super) struct DiskFileSystem(Arc<Mutex<Disk>>);

/// Mounts the disk until the result is dropped.
pub(super) fn mount(disk: &Arc<Mutex<Disk>>, at: &Path) -> std::io::Result<BackgroundSession> {
    let options = [MountOption::FSName("power-loss".to_owned()), MountOption::RW];
    fuser::spawn_mount2(DiskFileSystem(Arc::clone(disk)), at, &options)
}

/// Whether a file system can be mounted here. If not, says so past the test harness, which hides what passing tests
/// print.
pub(super) fn can_mount() -> bool {
    let reason = if Path::new("/dev/fuse").exists() {
        let point = tempfile::tempdir().unwrap();
        match mount(&Arc::new(Mutex::new(Disk::new(0))), point.path()) {
            Ok(_) => return true,
            Err(error) => format!("nothing can be mounted ({error})"),
        }
    } else {
        "/dev/fuse is missing".to_owned()
    };
    let way_out = "load the kernel module fuse, install fuse3 (fusermount3), and run as a user who may \
                   open /dev/fuse";
    let _ = writeln!(std::io::stderr(), "SKIPPED power_loss: {reason}; {way_out}");
    false
}

impl DiskFileSystem {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap()
    }
}

fn attributes(disk: &Disk, number: u64) -> Result<FileAttr> {
    let (kind, size, permissions) = match disk.node(number)? {
        Node::File(file) => (FileType::RegularFile, file.length(), 0o644),
        Node::Folder(_) => (FileType::Directory, 0, 0o755),
    };
    Ok(FileAttr {
        ino: number,
        size,
        blocks: size.div_ceil(512),
        atime: SystemTime::UNIX_EPOCH,
        mtime: SystemTime::UNIX_EPOCH,
        ctime: SystemTime::UNIX_EPOCH,
        crtime: SystemTime::UNIX_EPOCH,
        kind,
        perm: permissions,
        nlink: disk.names_of(number).max(1),
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: BLOCK_BYTES,
        flags: 0,
    })
}

fn reply_entry(reply: ReplyEntry, found: Result<FileAttr>) {
    match found {
        Ok(attributes) => reply.entry(&KNOWN, &attributes, 0),
        Err(code) => reply.error(code),
    }
}

fn reply_empty(reply: ReplyEmpty, done: Result<()>) {
    match done {
        Ok(()) => reply.ok(),
        Err(code) => reply.error(code),
    }
}

impl Filesystem for DiskFileSystem {
    fn lookup(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEntry) {
        let disk = self.disk();
        reply_entry(reply, disk.find(parent, name).and_then(|number| attributes(&disk, number)));
    }

    fn getattr(&mut self, _: &Request<'_>, number: u64, _: Option<u64>, reply: ReplyAttr) {
        match attributes(&self.disk(), number) {
            Ok(attributes) => reply.attr(&KNOWN, &attributes),
            Err(code) => reply.error(code),
        }
    }

    fn setattr(
        &mut self,
        _: &Request<'_>,
        number: u64,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _handle: Option<u64>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<u32>,
        reply: ReplyAttr,
    ) {
        let mut disk = self.disk();
        let resized = size.map_or(Ok(()), |size| disk.resize(number, size));
        match resized.and_then(|()| attributes(&disk, number)) {
            Ok(attributes) => reply.attr(&KNOWN, &attributes),
            Err(code) => reply.error(code),
        }
    }

    fn mkdir(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        _: u32,
        _: u32,
        reply: ReplyEntry,
    ) {
        let mut disk = self.disk();
        let created = disk.create(parent, name, true);
        reply_entry(reply, created.and_then(|number| attributes(&disk, number)));
    }

    fn unlink(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        reply_empty(reply, self.disk().remove(parent, name));
    }

    fn rmdir(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        let mut disk = self.disk();
        let is_empty =
            disk.find(parent, name).and_then(|number| Ok(disk.folder(number)?.current.is_empty()));
        let removed = match is_empty {
            Ok(true) => disk.remove(parent, name),
            Ok(false) => Err(libc::ENOTEMPTY),
            Err(code) => Err(code),
        };
        reply_empty(reply, removed);
    }

    fn rename(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        new_parent: u64,
        new_name: &OsStr,
        _flags: u32,
        reply: ReplyEmpty,
    ) {
        // The store renames only inside a folder.
        let renamed = match parent == new_parent {
            true => self.disk().rename(parent, name, new_name),
            false => Err(libc::EXDEV),
        };
        reply_empty(reply, renamed);
    }

    fn link(&mut self, _: &Request<'_>, number: u64, parent: u64, name: &OsStr, reply: ReplyEntry) {
        let mut disk = self.disk();
        let linked = disk.link(number, parent, name);
        reply_entry(reply, linked.and_then(|()| attributes(&disk, number)));
    }

    fn create(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        let mut disk = self.disk();
        let created = disk.create(parent, name, false);
        match created.and_then(|number| attributes(&disk, number)) {
            Ok(attributes) => reply.created(&KNOWN, &attributes, 0, 0, 0),
            Err(code) => reply.error(code),
        }
    }

    fn open(&mut self, _: &Request<'_>, _: u64, _: i32, reply: ReplyOpen) {
        reply.opened(0, 0);
    }

    fn read(
        &mut self,
        _: &Request<'_>,
        number: u64,
        _handle: u64,
        offset: i64,
        size: u32,
        _flags: i32,
        _owner: Option<u64>,
        reply: ReplyData,
    ) {
        match self.disk().read(number, offset.unsigned_abs(), size.into()) {
            Ok(bytes) => reply.data(&bytes),
            Err(code) => reply.error(code),
        }
    }

    fn write(
        &mut self,
        _: &Request<'_>,
        number: u64,
        _handle: u64,
        offset: i64,
        data: &[u8],
        _write_flags: u32,
        _flags: i32,
        _owner: Option<u64>,
        reply: ReplyWrite,
    ) {
        match self.disk().write(number, offset.unsigned_abs(), data) {
            Ok(()) => reply.written(u32::try_from(data.len()).unwrap()),
            Err(code) => reply.error(code),
        }
    }

    fn flush(&mut self, _: &Request<'_>, _: u64, _: u64, _: u64, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&mut self, _: &Request<'_>, number: u64, _: u64, _: bool, reply: ReplyEmpty) {
        reply_empty(reply, self.disk().sync_file(number));
    }

    fn fsyncdir(&mut self, _: &Request<'_>, number: u64, _: u64, _: bool, reply: ReplyEmpty) {
        reply_empty(reply, self.disk().sync_folder(number));
    }

    fn readdir(
        &mut self,
        _: &Request<'_>,
        number: u64,
        _handle: u64,
        offset: i64,
        mut reply: ReplyDirectory,
    ) {
        let disk = self.disk();
        let folder = match disk.folder(number) {
            Ok(folder) => folder,
            Err(code) => return reply.error(code),
        };
        let skipped = usize::try_from(offset).unwrap();
        for (at, (name, number)) in folder.current.iter().enumerate().skip(skipped) {
            let kind = match disk.node(*number) {
                Ok(Node::Folder(_)) => FileType::Directory,
                _ => FileType::RegularFile,
            };
            if reply.add(*number, i64::try_from(at + 1).unwrap(), kind, name) {
                break;
            }
        }
        reply.ok();
    }
}
