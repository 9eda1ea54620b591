//! Files that only their owner can read: they hold keys, or copies of data.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Permissions of a file that only its owner can read and write.
pub(crate) const OWNER_ONLY: u32 = 0o600;

/// Writes a file of the owner. An existing file is replaced at once: a reader sees the old bytes or the new ones.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".unfinished");
    let temporary = file.with_file_name(name);
    // Removed first: the mode below applies only to a file that is created.
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let mut written = options.write(true).create_new(true).mode(OWNER_ONLY).open(&temporary)?;
    written.write_all(bytes)?;
    written.sync_all()?;
    drop(written);
    std::fs::rename(&temporary, file)
}
