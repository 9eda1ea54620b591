//! Where an export goes: standard output, or a file that gets its name when it is complete.
//!
//! Owns the unfinished file beside it, and the position in it that a stopped export goes on at.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// How far an export has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Position {
    /// What is exported, in which form: a position of another export is refused.
    pub(super) of: String,
    /// Where the account goes on; none before the first page.
    pub(super) continuation: Option<String>,
    /// Bytes of the unfinished file that belong to it.
    pub(super) bytes: u64,
    /// Items in them.
    pub(super) items: u64,
}

/// Whether a stopped export can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    Nothing,
    Position,
}

/// A file that is written.
pub(super) struct OutFile {
    path: PathBuf,
    partial: PathBuf,
    position: PathBuf,
    file: BufWriter<File>,
    keep: Keep,
}

impl OutFile {
    /// Opens the unfinished file, at the position of an earlier run if there is one.
    pub(super) fn open(path: &Path, of: String, keep: Keep) -> Result<(Self, Position), Failure> {
        let failed = |error| cannot_write(path, &error);
        if path.exists() {
            return Err(failed(io::Error::from(io::ErrorKind::AlreadyExists)));
        }
        let (partial, position) = (beside(path, ".partial"), beside(path, ".position"));
        let new = Position { of, ..Position::default() };
        let at = match keep {
            Keep::Nothing => new,
            Keep::Position => load(&position, &partial, new)?,
        };
        let opened = if at.bytes == 0 {
            File::create(&partial)
        } else {
            // What was written behind the position is written again.
            File::options().write(true).open(&partial).and_then(|mut file| {
                file.set_len(at.bytes)?;
                file.seek(SeekFrom::End(0))?;
                Ok(file)
            })
        };
        let file = BufWriter::new(opened.map_err(failed)?);
        Ok((Self { path: path.to_owned(), partial, position, file, keep }, at))
    }

    /// The file is complete and gets its name.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let path = self.path.clone();
        let finished = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        finished
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(|error| cannot_write(&path, &error))?;
        // A position without its file is never looked at.
        let _ = fs::remove_file(&self.position);
        Ok(())
    }

    /// The export has failed: what cannot be gone on with is removed.
    pub(super) fn abandon(self) {
        if self.keep == Keep::Nothing {
            // What is left over is named `.partial`; the failure itself is what the user must hear.
            let _ = fs::remove_file(&self.partial);
        }
    }

    /// Keeps the position behind what was written so far.
    pub(super) fn keep(&mut self, at: &mut Position) -> io::Result<()> {
        if self.keep == Keep::Nothing {
            return Ok(());
        }
        self.file.flush()?;
        at.bytes = self.file.get_mut().stream_position()?;
        let new = beside(&self.position, ".new");
        fs::write(&new, serde_json::to_vec(at).map_err(io::Error::other)?)?;
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

fn load(position: &Path, partial: &Path, new: Position) -> Result<Position, Failure> {
    let refused = |why: String| {
        Failure::new(format!("going on at {}", position.display()), why)
            .way_out("remove the file, or leave out --resume to begin anew")
    };
    let text = match fs::read(position) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new),
        Err(error) => return Err(refused(error.to_string())),
    };
    let kept: Position = serde_json::from_slice(&text)
        .map_err(|error| refused(format!("it is no position: {error}")))?;
    if kept.of != new.of {
        return Err(refused(format!("it belongs to an export of {}", kept.of)));
    }
    let written = fs::metadata(partial).map_or(0, |metadata| metadata.len());
    if written < kept.bytes {
        return Err(refused(format!("{} has only {written} bytes", partial.display())));
    }
    Ok(kept)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("writing {}", path.display()), error.to_string())
        .way_out("choose another file with --out")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
