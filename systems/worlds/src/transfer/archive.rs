//! Files of a world: in a zip, or in a folder.
//!
//! Owns the limits, which hold before a file is unpacked: a zip of few bytes can claim to contain terabytes.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;

use super::mistake::{ImportMistake, ImportMistakeKind as Kind};

const FILES_MAX: usize = 6_000;
const FILE_BYTES_MAX: u64 = 400 * 1024;
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The folder of the files of entities.
pub(super) const ENTITIES: &str = "entities/";
/// The file of the world.
pub(super) const WORLD: &str = "world.json";

/// The files of a world, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldArchive {
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

impl WorldArchive {
    /// Reads a zip.
    ///
    /// # Errors
    /// Every mistake.
    pub fn from_zip(bytes: &[u8]) -> Result<Self, Vec<ImportMistake>> {
        let broken = |error: &dyn std::fmt::Display| {
            vec![ImportMistake::new(Kind::NotAnArchive, "", format!("it is no zip: {error}"))]
        };
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
        if zip.len() > FILES_MAX {
            let message = format!("it has {} files; {FILES_MAX} are allowed", zip.len());
            return Err(vec![ImportMistake::new(Kind::TooManyFiles, "", message)]);
        }
        let mut collected = CollectedFiles::default();
        for number in 0..zip.len() {
            let mut file = zip.by_index(number).map_err(|error| broken(&error))?;
            if file.is_dir() {
                continue;
            }
            let name = file.name().to_owned();
            collected.add(&name, file.size(), &mut file);
        }
        collected.finish()
    }

    /// Reads a folder.
    ///
    /// # Errors
    /// Every mistake.
    pub fn from_folder(folder: &Path) -> Result<Self, Vec<ImportMistake>> {
        let mut collected = CollectedFiles::default();
        let root = [("", folder.to_owned()), (ENTITIES, folder.join(ENTITIES))];
        for (prefix, folder) in root {
            let entries = match std::fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(_) if prefix == ENTITIES => continue,
                Err(error) => {
                    let file = folder.display().to_string();
                    let mistake = ImportMistake::new(Kind::NotAnArchive, file, error.to_string());
                    return Err(vec![mistake]);
                }
            };
            for entry in entries.flatten() {
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                // Links are not followed: they could lead out of the folder.
                let Ok(metadata) = entry.metadata() else { continue };
                match std::fs::File::open(entry.path()) {
                    Ok(mut file) if metadata.is_file() => {
                        collected.add(&name, metadata.len(), &mut file);
                    }
                    _ if metadata.is_dir() => {}
                    _ => collected.refuse(Kind::UnknownFile, &name, "it is no regular file"),
                }
            }
        }
        collected.finish()
    }

    /// Writes a zip.
    ///
    /// # Errors
    /// A sentence; only memory can be missing.
    pub fn to_zip(&self) -> Result<Vec<u8>, String> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let write = |zip: &mut zip::ZipWriter<Cursor<Vec<u8>>>| -> zip::result::ZipResult<()> {
            for (path, bytes) in &self.files {
                // Without a time of their own, so that equal worlds have equal archives.
                zip.start_file(path.as_str(), SimpleFileOptions::default())?;
                zip.write_all(bytes)?;
            }
            Ok(())
        };
        write(&mut zip).map_err(|error| error.to_string())?;
        Ok(zip.finish().map_err(|error| error.to_string())?.into_inner())
    }

    /// Paths and contents of the files, for writing them into a folder.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// An archive of these files, which are checked like those of a zip.
    ///
    /// # Errors
    /// Every mistake.
    pub fn from_files<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Self, Vec<ImportMistake>> {
        let mut collected = CollectedFiles::default();
        for (name, bytes) in files {
            let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            collected.add(name, size, &mut &bytes[..]);
        }
        collected.finish()
    }
}

/// Files so far, and what is wrong with them.
#[derive(Default)]
struct CollectedFiles {
    files: BTreeMap<String, Vec<u8>>,
    bytes: u64,
    mistakes: Vec<ImportMistake>,
}

impl CollectedFiles {
    fn refuse(&mut self, kind: Kind, name: &str, message: impl Into<String>) {
        self.mistakes.push(ImportMistake::new(kind, name, message));
    }

    fn add(&mut self, name: &str, size: u64, reader: &mut impl Read) {
        if !is_inside(name) {
            return self.refuse(Kind::PathOutside, name, "the path leads out of the folder");
        }
        if size > FILE_BYTES_MAX {
            let message = format!("it has {size} bytes; {FILE_BYTES_MAX} are allowed");
            return self.refuse(Kind::FileTooLarge, name, message);
        }
        if self.bytes > BYTES_MAX {
            return;
        }
        // The stated size may be a lie, so no more than allowed is unpacked.
        let mut bytes = Vec::new();
        if let Err(error) = reader.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes) {
            return self.refuse(Kind::NotAnArchive, name, error.to_string());
        }
        let unpacked = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if unpacked > FILE_BYTES_MAX {
            return self.refuse(Kind::FileTooLarge, name, "it is larger than it says");
        }
        self.bytes += unpacked;
        if self.bytes > BYTES_MAX {
            let message = format!("all files together have more than {BYTES_MAX} bytes");
            return self.refuse(Kind::ArchiveTooLarge, name, message);
        }
        if self.files.insert(name.to_owned(), bytes).is_some() {
            self.refuse(Kind::DuplicateFile, name, "there are two files with this path");
        }
    }

    fn finish(self) -> Result<WorldArchive, Vec<ImportMistake>> {
        let archive = WorldArchive { files: self.files };
        if self.mistakes.is_empty() {
            return Ok(archive);
        }
        // What can be read is checked too, so that one answer has every mistake.
        let mut mistakes = self.mistakes;
        mistakes.extend(super::plan::parse(&archive).1);
        Err(mistakes)
    }
}

/// Whether a path stays in the folder: parts of a name, none of them `..`, and not absolute.
fn is_inside(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    !name.contains(['\\', ':', '\0']) && name.split('/').all(is_part)
}
