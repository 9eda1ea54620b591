//! One damaged file between two runs: the server refuses to start and names it, or answers as if nothing had happened.
//!
//! Owns the damages and the verdict. `storage-lsm` tests every file in every way; this is the same seen from a client.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cell::{Cell, Outcome};
use super::clients::{Shared, observe, snapshot};
use super::disk::copy_folder;
use super::follower::read_latest;
use super::http::Connection;
use super::operation::CELLS;
use super::server::Server;

/// Copies with a damaged file in one round.
const COPIES: usize = 4;

/// What was done to files, and what came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DamageCounts {
    pub(crate) refused: u64,
    pub(crate) recovered: u64,
}

/// Damages copies of a folder and asks servers on them for what is in it.
pub(crate) fn damage_copies(
    store: &Path,
    seed: u64,
    expected: &[Cell],
) -> Result<DamageCounts, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut counts = DamageCounts::default();
    for _ in 0..COPIES {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("store");
        copy_folder(store, &copy);
        let mut files = list_files(&copy);
        files.sort();
        let file = &files[random.usize(..files.len())];
        let what = damage(file, &mut random);
        let name = file.strip_prefix(&copy).unwrap().display().to_string();
        let judged = judge(&copy, folder.path(), file, expected);
        match judged.map_err(|broken| format!("{name}, {what}: {broken}"))? {
            true => counts.refused += 1,
            false => counts.recovered += 1,
        }
    }
    Ok(counts)
}

fn list_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(list_files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// Does something to a file; returns what.
fn damage(file: &Path, random: &mut fastrand::Rng) -> String {
    let mut bytes = std::fs::read(file).unwrap();
    // The part that was written: journals end with zeros for later.
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let at = random.usize(..used.max(1));
    let what = match random.u32(..5) {
        0 => {
            std::fs::remove_file(file).unwrap();
            return "deleted".to_owned();
        }
        1 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        2 => {
            bytes.truncate(0);
            "emptied".to_owned()
        }
        3 => {
            let end = used.min(at + 512);
            bytes[at.min(end)..end].fill(0);
            format!("zeroed from {at} to {end}")
        }
        _ if used > 0 => {
            bytes[at] ^= 1 << random.u32(..8);
            format!("a bit changed at {at}")
        }
        _ => {
            bytes.push(1);
            "a byte appended".to_owned()
        }
    };
    std::fs::write(file, bytes).unwrap();
    what
}

/// Returns whether the server refused; an error if it answered wrongly.
fn judge(store: &Path, beside: &Path, file: &Path, expected: &[Cell]) -> Result<bool, String> {
    let mut server = match Server::start(store, &beside.join("messages"), false) {
        Ok(server) => server,
        Err(refused) => {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let folder = store.display().to_string();
            let names = refused.messages.contains(&name) || refused.messages.contains(&folder);
            return match refused.code == Some(2) && names && !refused.messages.contains("panicked")
            {
                true => Ok(true),
                false => Err(format!("refused without a name: {refused:?}")),
            };
        }
    };
    let mut connection = Connection::new(server.port);
    let shared = Arc::new(Shared::default());
    for (cell, expected) in expected.iter().enumerate().take(CELLS) {
        let observed = observe(&mut connection, &shared, cell)?;
        let found = snapshot(&observed);
        if found != *expected {
            return Err(format!("a query found {found:?} instead of {expected:?}"));
        }
        for (read, version) in observed[1..].iter().zip(expected) {
            let found = match &read.outcome {
                Some(Outcome::Item(version)) => Some(*version),
                _ => None,
            };
            if found != *version {
                return Err(format!("a read found {found:?} instead of {version:?}"));
            }
        }
    }
    if read_latest(&mut connection)? != expected {
        return Err("the change feed differs".to_owned());
    }
    match server.ended() {
        Some(status) => Err(format!("the server ended by itself: {status}")),
        None => Ok(false),
    }
}
