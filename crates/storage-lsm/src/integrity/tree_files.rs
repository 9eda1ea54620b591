//! The files of one keyspace, as the tree wrote them: `current`, the version it names, and the tables that one lists.
//!
//! Owns reading and checksumming them without opening the tree. The tree itself trusts `current` and the version file,
//! and verifies a table block by block when it is read; a whole table that was swapped for an older one with the same
//! number passes all its checks. Does not own the journal: see `journal`.
//!
//! ```text
//! current    version number 8 LE | xxh3-128 of the version file 16 LE | kind of checksum 1
//! vN         an archive of sections; `tables` holds: levels 1, per level: runs 1, per run: tables 4 LE,
//!            per table: number 8 LE | kind of checksum 1 | xxh3-128 of the table file 16 LE | sequence number 8 LE
//! tables/N   a table
//! ```

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use storage::{Error, Result};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use crate::error::{cannot_open_file, damaged};

/// The folder of the keyspaces inside that of the tree.
pub(crate) const KEYSPACES_FOLDER: &str = "keyspaces";

const TABLES_FOLDER: &str = "tables";
const CURRENT_BYTES: usize = 25;
/// The tree writes only xxh3.
const XXH3: u8 = 0;
const TABLES_SECTION: &[u8] = b"tables";
const CHUNK_BYTES: usize = 256 * 1024;

/// What a check of the files has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerifiedFiles {
    /// Tables whose whole content was compared with its checksum.
    pub tables: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The version that the tree will open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CurrentVersion {
    pub(super) number: u64,
    checksum: u128,
}

/// Reads the file `current` of a keyspace.
pub(super) fn current_version(folder: &Path, keyspace: &Path) -> Result<CurrentVersion> {
    let path = keyspace.join("current");
    let bytes = read(folder, &path)?;
    let fields = || {
        let (number, rest) = bytes.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let current = CurrentVersion {
            number: u64::from_le_bytes(*number),
            checksum: u128::from_le_bytes(*checksum),
        };
        (rest == [XXH3]).then_some(current)
    };
    fields().ok_or_else(|| {
        let length = bytes.len();
        let what = format!("{} has {length} bytes or another form", path.display());
        damaged(folder, &format!("{what}; it should have {CURRENT_BYTES}"))
    })
}

/// Checks keyspaces, and the content of tables up to a number of bytes.
pub(crate) struct FileChecker<'folder> {
    folder: &'folder Path,
    /// Bytes of tables that may still be read.
    bytes_left: u64,
    verified: VerifiedFiles,
}

impl<'folder> FileChecker<'folder> {
    pub(crate) fn new(folder: &'folder Path, bytes_max: u64) -> Self {
        Self { folder, bytes_left: bytes_max, verified: VerifiedFiles::default() }
    }

    pub(crate) fn verified(&self) -> VerifiedFiles {
        self.verified
    }

    /// Checks the files of a keyspace: the version against `current`, that every table exists, and the content of the
    /// newest tables as far as the bound allows.
    pub(crate) fn check(&mut self, keyspace: &Path) -> Result<()> {
        let current = current_version(self.folder, keyspace)?;
        let version = keyspace.join(format!("v{}", current.number));
        let bytes = read(self.folder, &version)?;
        if xxh3_128(&bytes) != current.checksum {
            return Err(self.damaged(&version, "fails the checksum in the file current"));
        }
        let tables = parse_tables(&bytes, &version)
            .ok_or_else(|| self.damaged(&version, "does not list its tables"))?;
        // The newest come first: level 0 is where a crash or an old copy does harm, and where tables are small.
        for Table { number, checksum } in tables {
            self.check_table(&keyspace.join(TABLES_FOLDER).join(number.to_string()), checksum)?;
        }
        Ok(())
    }

    fn check_table(&mut self, path: &Path, checksum: u128) -> Result<()> {
        let length = match fs::metadata(path) {
            Ok(metadata) => metadata.len(),
            Err(error) => return Err(missing_or_failed(self.folder, path, error)),
        };
        if length > self.bytes_left {
            return Ok(());
        }
        let found = hash(path).map_err(|error| missing_or_failed(self.folder, path, error))?;
        if found != checksum {
            return Err(self.damaged(path, "fails its checksum"));
        }
        self.bytes_left -= length;
        self.verified.tables += 1;
        self.verified.bytes += length;
        Ok(())
    }

    fn damaged(&self, path: &Path, what: &str) -> Error {
        damaged(self.folder, &format!("{} {what}", path.display()))
    }
}

struct Table {
    number: u64,
    checksum: u128,
}

/// The tables of a version, newest level first.
fn parse_tables(bytes: &[u8], path: &Path) -> Option<Vec<Table>> {
    let archive = sfa::Reader::new(path).ok()?;
    let section = archive.toc().section(TABLES_SECTION)?;
    let start = usize::try_from(section.pos()).ok()?;
    let mut rest = bytes.get(start..)?.get(..usize::try_from(section.len()).ok()?)?;
    let mut tables = Vec::new();
    for _ in 0..u8::from_le_bytes(*take(&mut rest)?) {
        for _ in 0..u8::from_le_bytes(*take(&mut rest)?) {
            for _ in 0..u32::from_le_bytes(*take(&mut rest)?) {
                let number = u64::from_le_bytes(*take(&mut rest)?);
                let [XXH3] = take(&mut rest)? else { return None };
                let checksum = u128::from_le_bytes(*take(&mut rest)?);
                let _sequence_number: &[u8; 8] = take(&mut rest)?;
                tables.push(Table { number, checksum });
            }
        }
    }
    Some(tables)
}

fn take<'bytes, const N: usize>(rest: &mut &'bytes [u8]) -> Option<&'bytes [u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(head)
}

fn hash(path: &Path) -> std::io::Result<u128> {
    let mut file = File::open(path)?;
    let mut hasher = Xxh3Default::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let count = file.read(&mut buffer)?;
        let Some(chunk) = buffer.get(..count).filter(|chunk| !chunk.is_empty()) else {
            return Ok(hasher.digest128());
        };
        hasher.update(chunk);
    }
}

fn read(folder: &Path, path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| missing_or_failed(folder, path, error))
}

fn missing_or_failed(folder: &Path, path: &Path, error: std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::NotFound {
        damaged(folder, &format!("its file {} is missing", path.display()))
    } else {
        cannot_open_file(path, error)
    }
}
