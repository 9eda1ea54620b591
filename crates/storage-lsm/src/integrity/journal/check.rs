//! All journals of a store, before the tree replays them.
//!
//! Owns the order of the steps: bring back deleted ones, read each, compare neighbours, cut a torn end, and write the
//! end of the newest one again if nothing vouches for it. Refuses before it changes anything that could still be of
//! use.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use storage::{Error, Result, Shard, Stamp};

use super::record::JournalBatch;
use super::scan::{JournalScan, follows};
use super::sealed::{SealedJournals, journals_in};
use crate::error::{cannot_open_file, damaged};
use crate::folder_marker::sync_folder;

/// The newest stamp of each shard that was recorded as durable.
type DurableStamps = HashMap<Shard, Stamp>;

/// Where the journals end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JournalEnd {
    /// The number of the last batch; `None` if there is none, or none with a number.
    last_batch: Option<u64>,
    /// Whether the first journal of the store is the newest one and holds nothing.
    is_unused: bool,
}

impl JournalEnd {
    /// Refuses journals that end before the tables do. The tree syncs its journal before it writes a table, and begins
    /// a new journal only after a batch, so the last batch is always in the newest one, unless that has just begun.
    pub(crate) fn check(self, folder: &Path, last_batch: u64) -> Result<()> {
        let ends_early = match self.last_batch {
            Some(number) => number < last_batch,
            None => self.is_unused && last_batch > 0,
        };
        if !ends_early {
            return Ok(());
        }
        let end = self.last_batch.unwrap_or_default();
        let what = format!("its journal ends at batch {end}, and its tables at {last_batch}");
        Err(damaged(folder, &what))
    }
}

/// What is known of the batches in the journals.
pub(crate) struct KnownBatches<'stamps> {
    /// The number of the keyspace `stamps`; `None` if the batches have no numbers.
    pub(crate) stamps_keyspace: Option<u64>,
    /// The newest stamp of each shard that was recorded as durable.
    pub(crate) durable: &'stamps [(Shard, Stamp)],
    /// Batches with a greater number are dropped; `None` keeps all.
    pub(crate) last_batch: Option<u64>,
}

/// Checks the journals in the tree's folder, and leaves them as the tree may replay them.
pub(crate) fn check_journals(
    folder: &Path,
    tree_folder: &Path,
    known: &KnownBatches<'_>,
) -> Result<JournalEnd> {
    let stamps_keyspace = known.stamps_keyspace;
    let durable: DurableStamps = known.durable.iter().copied().collect();
    let failed = |path: &Path, error| cannot_open_file(path, error);
    let sealed = SealedJournals::new(folder, tree_folder);
    sealed.restore().map_err(|error| failed(tree_folder, error))?;
    let journals = journals_in(tree_folder).map_err(|error| failed(tree_folder, error))?;
    let is_first = journals.last_key_value().is_some_and(|(number, _)| *number == 0);
    let mut last_batch = None;
    let mut before: Option<JournalScan> = None;
    for path in journals.into_values() {
        let scan = JournalScan::read(&path, stamps_keyspace, known.last_batch)
            .map_err(|error| failed(&path, error))?;
        if let Some(gap) = &scan.gap {
            return Err(refused(folder, &path, gap));
        }
        if let Some(sealed) = &before {
            check_sealed(folder, sealed, &scan, stamps_keyspace, &durable)?;
        }
        // A newest journal that has just begun is empty; then the last batch is in the one before.
        let last = scan.last.as_ref().and_then(|batch| batch.mark);
        last_batch = last.map(|mark| mark.number).or(last_batch);
        before = Some(scan);
    }
    // The tree has always one journal, and would create an empty one.
    let Some(newest) = before else { return Err(damaged(folder, "its journal is missing")) };
    check_newest(folder, &newest, stamps_keyspace, &durable)?;
    sealed.relink().map_err(|error| failed(tree_folder, error))?;
    Ok(JournalEnd { last_batch, is_unused: is_first && newest.batches == 0 })
}

/// A journal with another one behind it was complete when that one began. Only a write that failed, and was not
/// acknowledged, may have left a torn end: then the next batch has the number after the last one that can be read.
fn check_sealed(
    folder: &Path,
    sealed: &JournalScan,
    next: &JournalScan,
    stamps_keyspace: Option<u64>,
    durable: &DurableStamps,
) -> Result<()> {
    let Some(last) = &sealed.last else {
        // The tree begins a new journal when the one before is full.
        return Err(refused(folder, &sealed.path, "it holds no commits"));
    };
    let Some(first) = &next.first else {
        return cut_torn_end(folder, sealed, stamps_keyspace, durable);
    };
    follows(last, first)
        .map_err(|gap| refused(folder, &next.path, &format!("{gap} in the journal before")))?;
    if !sealed.has_tail {
        return Ok(());
    }
    if last.mark.is_none() || first.mark.is_none() {
        let what = format!("it cannot be read from byte {} on", sealed.valid_bytes);
        return Err(refused(folder, &sealed.path, &what));
    }
    cut(&sealed.path, sealed.valid_bytes).map_err(|error| cannot_open_file(&sealed.path, error))
}

fn check_newest(
    folder: &Path,
    newest: &JournalScan,
    stamps_keyspace: Option<u64>,
    durable: &DurableStamps,
) -> Result<()> {
    cut_torn_end(folder, newest, stamps_keyspace, durable)?;
    if newest.last.as_ref().is_some_and(|last| !is_durable(last, durable)) {
        let rewritten = rewrite(&newest.path, newest.valid_bytes);
        rewritten.map_err(|error| cannot_open_file(&newest.path, error))?;
    }
    Ok(())
}

/// Cuts off what cannot be read at the end of the last journal with commits, unless it was acknowledged.
fn cut_torn_end(
    folder: &Path,
    journal: &JournalScan,
    stamps_keyspace: Option<u64>,
    durable: &DurableStamps,
) -> Result<()> {
    if !journal.has_tail {
        return Ok(());
    }
    let failed = |error| cannot_open_file(&journal.path, error);
    let behind = journal.batches_in_tail(stamps_keyspace).map_err(failed)?;
    let mut ends =
        journal.stamps.iter().filter_map(|(shard, stamp)| Some((stamp, durable.get(shard)?)));
    let ends_early = ends.any(|(stamp, durable)| durable > stamp);
    if ends_early || behind.iter().any(|batch| is_durable(batch, durable)) {
        let what = format!(
            "it cannot be read from byte {} on, where acknowledged writes follow",
            journal.valid_bytes
        );
        return Err(refused(folder, &journal.path, &what));
    }
    // What follows was never acknowledged as durable: a commit that the power cut or a full disk has torn. The tree
    // cuts some of these itself and refuses to open for others, depending on which bytes are missing.
    cut(&journal.path, journal.valid_bytes).map_err(failed)
}

/// Whether the batch was recorded as durable.
fn is_durable(batch: &JournalBatch, durable: &DurableStamps) -> bool {
    !batch.stamps.is_empty()
        && batch
            .stamps
            .iter()
            .all(|(shard, stamp)| durable.get(shard).is_some_and(|durable| durable >= stamp))
}

fn cut(path: &Path, length: u64) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    file.set_len(length)?;
    file.sync_all()
}

/// Copies a journal into a new file and puts that in its place.
///
/// The end of the journal may be in the page cache and not on disk although nothing is left to sync: when a sync fails,
/// the system reports it once and marks the pages as clean. A later sync then succeeds without writing them, and so
/// would that of a new process. Bytes that are written again are dirty again, so the sync of the copy covers them.
fn rewrite(path: &Path, length: u64) -> io::Result<()> {
    let copy = with_suffix(path, ".rewritten");
    let mut from = io::Read::take(File::open(path)?, length);
    let mut to = File::create(&copy)?;
    io::copy(&mut from, &mut to)?;
    to.sync_all()?;
    fs::rename(&copy, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn refused(folder: &Path, journal: &Path, what: &str) -> Error {
    damaged(folder, &format!("its journal {}: {what}", journal.display()))
}
