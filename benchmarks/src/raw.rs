//! The raw storage crate, opened as the engine's store opens it: same keyspaces, same settings, nothing else.
//!
//! Owns the other side of every comparison. Does not own what is compared.

use std::path::Path;

use engine::SPACES;
use fjall::config::RestartIntervalPolicy;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use storage_lsm::{BLOCK_RESTART_INTERVAL, LsmSettings};

use crate::tape::TapeEntry;
use crate::{Error, Result};

/// The tree's folder inside a store's folder.
const TREE: &str = "lsm";

/// The tree with one keyspace per space.
pub(crate) struct RawTree {
    database: Database,
    keyspaces: Vec<(u8, &'static str, Keyspace)>,
}

impl RawTree {
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let settings = LsmSettings::default();
        let database = Database::builder(folder.join(TREE))
            .cache_size(settings.block_cache_bytes + settings.read_cache_bytes)
            .worker_threads(settings.worker_threads)
            .max_journaling_size(settings.journal_bytes_max)
            .manual_journal_persist(true)
            .open()?;
        let options = || {
            KeyspaceCreateOptions::default()
                .max_memtable_size(settings.memtable_bytes_max)
                .data_block_restart_interval_policy(RestartIntervalPolicy::all(
                    BLOCK_RESTART_INTERVAL,
                ))
        };
        let mut keyspaces = Vec::new();
        for space in SPACES {
            keyspaces.push((space.number, space.name, database.keyspace(space.name, options)?));
        }
        Ok(Self { database, keyspaces })
    }

    /// The keyspace of a space.
    pub(crate) fn keyspace(&self, name: &str) -> Result<&Keyspace> {
        let found = self.keyspaces.iter().find(|(_, known, _)| *known == name);
        found.map(|(.., keyspace)| keyspace).ok_or_else(|| format!("no space {name}").into())
    }

    /// Writes entries as one batch.
    pub(crate) fn commit(&self, entries: Vec<TapeEntry>, mode: PersistMode) -> Result<()> {
        let mut batch = fjall::OwnedWriteBatch::with_capacity(self.database.clone(), entries.len())
            .durability(Some(mode));
        for entry in entries {
            let keyspace = self
                .keyspaces
                .iter()
                .find(|(number, ..)| *number == entry.space)
                .map(|(.., keyspace)| keyspace)
                .ok_or_else(|| Error::from("the tape names an unknown space"))?;
            match entry.value {
                Some(value) => batch.insert(keyspace, entry.key, value),
                None => batch.remove(keyspace, entry.key),
            }
        }
        Ok(batch.commit()?)
    }
}
