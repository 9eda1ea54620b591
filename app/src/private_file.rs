//! Files that only their owner can read: they hold keys, or copies of data.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
#[cfg(feature = "connect")]
use std::io::BufWriter;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Permissions of a file that only its owner can read and write.
const OWNER_ONLY: u32 = 0o600;

/// Writes a file of the owner. An existing file is replaced at once: a reader sees the old bytes or the new ones.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = with_suffix(file, ".unfinished");
    // Removed first: the mode below applies only to a file that is created.
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut written = create(&temporary)?;
    written.write_all(bytes)?;
    written.sync_all()?;
    drop(written);
    std::fs::rename(&temporary, file)
}

/// A file of the owner that gets its name when it is complete.
#[cfg(feature = "connect")]
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    partial: PathBuf,
    file: Option<BufWriter<File>>,
}

#[cfg(feature = "connect")]
impl NewFile {
    /// Begins a file. One of this name must not exist.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if path.exists() {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        let partial = with_suffix(path, ".partial");
        let _ = std::fs::remove_file(&partial);
        let file = Some(BufWriter::new(create(&partial)?));
        Ok(Self { path: path.to_owned(), partial, file })
    }

    /// Gives it its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(mut file) = self.file.take() {
            file.flush()?;
            // Synced before the rename: the name promises a complete file, also after a power failure.
            file.get_ref().sync_all()?;
        }
        std::fs::rename(&self.partial, &self.path)
    }
}

#[cfg(feature = "connect")]
impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

#[cfg(feature = "connect")]
impl Drop for NewFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // It is not complete. If it cannot be removed, its name shows that.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

fn create(file: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(file)
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    name.into()
}
