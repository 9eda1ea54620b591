//! Where an export is written: standard output, or a file that gets its name when it is complete.
//!
//! Until then the data is in `FILE.partial`, and with `--resume` the position to continue from in `FILE.position`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::CommandError;

/// How far an export has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ExportPosition {
    /// What is exported and in which format; the position of another export is rejected.
    pub(super) of: String,
    /// The continuation token; none before the first page.
    pub(super) continuation: Option<String>,
    /// Length of the partial file at this position.
    pub(super) bytes: u64,
    /// Number of items in it.
    pub(super) items: u64,
}

/// Whether an interrupted export can continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResumeMode {
    Off,
    On,
}

/// The file of an export.
pub(super) struct OutFile {
    path: PathBuf,
    partial: PathBuf,
    position: PathBuf,
    file: BufWriter<File>,
    resume: ResumeMode,
}

impl OutFile {
    /// Opens the partial file, at the position of an earlier run if there is one.
    pub(super) fn open(
        path: &Path,
        of: String,
        resume: ResumeMode,
    ) -> Result<(Self, ExportPosition), CommandError> {
        let failed = |error| cannot_write(path, &error);
        if path.exists() {
            return Err(failed(io::Error::from(io::ErrorKind::AlreadyExists)));
        }
        let (partial, position) = (with_suffix(path, ".partial"), with_suffix(path, ".position"));
        let new = ExportPosition { of, ..ExportPosition::default() };
        let at = match resume {
            ResumeMode::Off => new,
            ResumeMode::On => load(&position, &partial, new)?,
        };
        let opened = if at.bytes == 0 {
            File::create(&partial)
        } else {
            // Bytes after the position were written before the interruption and are written again.
            File::options().write(true).open(&partial).and_then(|mut file| {
                file.set_len(at.bytes)?;
                file.seek(SeekFrom::End(0))?;
                Ok(file)
            })
        };
        let file = BufWriter::new(opened.map_err(failed)?);
        Ok((Self { path: path.to_owned(), partial, position, file, resume }, at))
    }

    /// Completes the file and gives it its name.
    pub(super) fn finish(mut self) -> Result<(), CommandError> {
        let path = self.path.clone();
        // Synced before the rename: the name promises a complete file, also after a power failure.
        let finished = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        finished
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(|error| cannot_write(&path, &error))?;
        // A position without its partial file is ignored.
        let _ = fs::remove_file(&self.position);
        Ok(())
    }

    /// Removes the partial file of a failed export that cannot continue.
    pub(super) fn abandon(self) {
        if self.resume == ResumeMode::Off {
            // A leftover is named `.partial`; the original error matters more.
            let _ = fs::remove_file(&self.partial);
        }
    }

    /// Saves the position after everything written so far.
    pub(super) fn save_position(&mut self, at: &mut ExportPosition) -> io::Result<()> {
        if self.resume == ResumeMode::Off {
            return Ok(());
        }
        self.file.flush()?;
        // The position must not survive a power failure that the bytes before it do not survive.
        self.file.get_ref().sync_data()?;
        // After the flush: bytes in the buffer are not in the file, and the position must not count them.
        at.bytes = self.file.get_mut().stream_position()?;
        let new = with_suffix(&self.position, ".new");
        fs::write(&new, serde_json::to_vec(at).map_err(io::Error::other)?)?;
        // Written beside and renamed: a crash leaves the old position or the new one, never half of one.
        fs::rename(&new, &self.position)
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn load(
    position: &Path,
    partial: &Path,
    new: ExportPosition,
) -> Result<ExportPosition, CommandError> {
    let refused = |why: String| {
        CommandError::new(format!("continuing from {}", position.display()), why)
            .hint("delete the file, or omit --resume to start over")
    };
    let text = match fs::read(position) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new),
        Err(error) => return Err(refused(error.to_string())),
    };
    let kept: ExportPosition = serde_json::from_slice(&text)
        .map_err(|error| refused(format!("it is not a position: {error}")))?;
    if kept.of != new.of {
        return Err(refused(format!("it belongs to an export of {}", kept.of)));
    }
    let written = fs::metadata(partial).map_or(0, |metadata| metadata.len());
    // The position was saved but the end of the file was lost. Continuing would leave a gap.
    if written < kept.bytes {
        return Err(refused(format!("{} has only {written} bytes", partial.display())));
    }
    Ok(kept)
}

fn cannot_write(path: &Path, error: &io::Error) -> CommandError {
    CommandError::new(format!("writing {}", path.display()), error.to_string())
        .hint("choose another file with --out")
}

fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
