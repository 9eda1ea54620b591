//! A small disk of its own for the store, which can be filled.
//!
//! Owns the mount of a tmpfs, which needs root. Without it the store is in an ordinary folder and cannot be filled.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Room for the journal and the tables of a run.
const SIZE_MB: u32 = 128;

pub(crate) struct Disk {
    folder: tempfile::TempDir,
    is_mounted: bool,
}

impl Disk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={SIZE_MB}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path());
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        Self { folder, is_mounted }
    }

    /// Whether it can be filled.
    pub(crate) fn is_small(&self) -> bool {
        self.is_mounted
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Where the server writes its messages.
    pub(crate) fn messages(&self) -> PathBuf {
        self.folder.path().join("messages")
    }

    fn filler(&self) -> PathBuf {
        self.folder.path().join("filler")
    }

    /// Leaves not a byte.
    pub(crate) fn fill(&self) {
        let file = OpenOptions::new().create(true).append(true).open(self.filler());
        // The disk may already be full when the file is created.
        let Ok(mut file) = file else { return };
        fill_by(&mut file, 1024 * 1024);
        fill_by(&mut file, 4096);
    }

    pub(crate) fn free(&self) {
        // It does not exist if there was no room even for its name.
        let _ = std::fs::remove_file(self.filler());
    }

    /// Keeps a copy for whoever looks into a failure.
    pub(crate) fn keep(&self) -> PathBuf {
        let kept = tempfile::tempdir().unwrap().keep();
        copy_folder(&self.store(), &kept.join("store"));
        kept
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            // Lazy: a server that is being killed may still hold a file.
            let _ = Command::new("umount").arg("-l").arg(self.folder.path()).status();
        }
    }
}

fn fill_by(file: &mut File, bytes: usize) {
    let block = vec![1; bytes];
    while file.write_all(&block).is_ok() {}
}

/// Copies a folder. The journals are mostly holes.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    let mut copy = Command::new("cp");
    let copied = copy.args(["-a", "--sparse=always"]).arg(from).arg(to).status().unwrap();
    assert!(copied.success(), "{} was not copied", from.display());
}
