//! The store of projection states of a scope.
//!
//! Owns compressing payloads, and putting large ones into the object store. An object is written before the state that
//! names it, and the object of the state before is deleted after it: a crash leaves an object too many, never one too
//! few.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use service::timestamp::UtcTimestamp;

use crate::domain::SortableUniqueId;
use crate::error::{Error, Result};
use crate::offload::PayloadStore;
use crate::service_id::ServiceIdProvider;
use crate::storage::{SaveMode, StateData, StateStorage, StorageBundle, StoredProjectionState};

/// A compressed payload of more bytes is offloaded. An item has at most 2 MB, and base64 adds a third.
const INLINE_BYTES_MAX: usize = 1_000_000;

/// States of projections of the tenant that the provider names. Clones share it.
#[derive(Clone)]
pub struct MultiProjectionStateStore {
    storage: Arc<dyn StateStorage>,
    payloads: Arc<dyn PayloadStore>,
    provider: Arc<dyn ServiceIdProvider>,
    environment: client::Environment,
}

/// The state of one version of one projector.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionState {
    /// The name of the projector.
    pub projector_name: String,
    /// Its version.
    pub projector_version: String,
    /// The type of the payload.
    pub payload_type: String,
    /// The last event in the state.
    pub last_sortable_unique_id: Option<SortableUniqueId>,
    /// Events later than this were not yet safe.
    pub safe_window_threshold: Option<SortableUniqueId>,
    /// Who built it.
    pub build_source: String,
    /// The machine that built it.
    pub build_host: Option<String>,
    /// How many events are in the state.
    pub events_processed: u64,
    /// The state itself.
    pub payload: Vec<u8>,
    /// Counts the saves.
    pub revision: u64,
    /// When it was first saved.
    pub created_at: UtcTimestamp,
    /// When it was last saved.
    pub updated_at: UtcTimestamp,
}

impl ProjectionState {
    /// A state without events.
    #[must_use]
    pub fn new(name: &str, version: &str, payload: Vec<u8>, now: UtcTimestamp) -> Self {
        Self {
            projector_name: name.to_owned(),
            projector_version: version.to_owned(),
            payload_type: "json".to_owned(),
            last_sortable_unique_id: None,
            safe_window_threshold: None,
            build_source: "runner".to_owned(),
            build_host: None,
            events_processed: 0,
            payload,
            revision: 0,
            created_at: now,
            updated_at: now,
        }
    }
}

impl MultiProjectionStateStore {
    /// A store on a storage, for the tenant of a provider.
    #[must_use]
    pub fn new(storage: &StorageBundle, provider: Arc<dyn ServiceIdProvider>) -> Self {
        Self {
            storage: Arc::clone(&storage.states),
            payloads: Arc::clone(&storage.payloads),
            provider,
            environment: storage.environment.clone(),
        }
    }

    /// Saves a state; returns its new revision.
    ///
    /// # Errors
    /// `Conflict` if the mode does not allow it; those of the storage.
    pub async fn save(&self, state: &ProjectionState, mode: SaveMode) -> Result<u64> {
        let service = self.provider.current()?;
        let (name, version) = (&state.projector_name, &state.projector_version);
        check_name("projector", name)?;
        check_name("version", version)?;
        let compressed = compress(&state.payload)?;
        let compressed_size_bytes = compressed.len() as u64;
        let before = self.storage.state(&service, name, version).await?;
        let data = if compressed.len() > INLINE_BYTES_MAX {
            // Random, so that two writers of one state never share an object.
            let random = self.environment.random();
            let key = format!("{service}/{name}/{version}/{random:016x}");
            self.payloads.put(&key, compressed).await?;
            StateData::Offloaded { key, provider: self.payloads.name().to_owned() }
        } else {
            StateData::Inline(compressed)
        };
        let text = |id: &Option<SortableUniqueId>| {
            id.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default()
        };
        let stored = StoredProjectionState {
            projector_name: name.clone(),
            projector_version: version.clone(),
            payload_type: state.payload_type.clone(),
            last_sortable_unique_id: text(&state.last_sortable_unique_id),
            safe_window_threshold: text(&state.safe_window_threshold),
            build_source: state.build_source.clone(),
            build_host: state.build_host.clone(),
            events_processed: state.events_processed,
            original_size_bytes: state.payload.len() as u64,
            compressed_size_bytes,
            revision: 0,
            created_at: before.as_ref().map_or(state.created_at, |before| before.created_at),
            updated_at: UtcTimestamp::now(&self.environment),
            data,
        };
        let saved = self.storage.save(&service, &stored, mode).await;
        let unused = match &saved {
            Ok(_) => before.map(|before| before.data),
            Err(_) => Some(stored.data),
        };
        if let Some(StateData::Offloaded { key, .. }) = unused {
            self.payloads.delete(&key).await?;
        }
        saved
    }

    /// The state of a version.
    ///
    /// # Errors
    /// `Corrupt` if its payload cannot be read; those of the storage.
    pub async fn latest_for_version(
        &self,
        name: &str,
        version: &str,
    ) -> Result<Option<ProjectionState>> {
        let service = self.provider.current()?;
        match self.storage.state(&service, name, version).await? {
            Some(stored) => self.load(stored).await.map(Some),
            None => Ok(None),
        }
    }

    /// The state that was saved last, of whatever version.
    ///
    /// # Errors
    /// `Corrupt` if its payload cannot be read; those of the storage.
    pub async fn latest_any_version(&self, name: &str) -> Result<Option<ProjectionState>> {
        let service = self.provider.current()?;
        match self.storage.states(&service, Some(name)).await?.into_iter().next() {
            Some(stored) => self.load(stored).await.map(Some),
            None => Ok(None),
        }
    }

    /// All states, without their payloads; those that were saved last first.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn list(&self) -> Result<Vec<StoredProjectionState>> {
        self.storage.states(&self.provider.current()?, None).await
    }

    /// Deletes the state of a version. Whether there was one.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn delete(&self, name: &str, version: &str) -> Result<bool> {
        let service = self.provider.current()?;
        let stored = self.storage.state(&service, name, version).await?;
        let deleted = self.storage.delete(&service, name, version).await?;
        if let Some(StateData::Offloaded { key, .. }) = stored.map(|stored| stored.data) {
            self.payloads.delete(&key).await?;
        }
        Ok(deleted)
    }

    /// Deletes all states of the tenant; returns how many.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn delete_all(&self) -> Result<u64> {
        let mut deleted = 0;
        for state in self.list().await? {
            let is_deleted = self.delete(&state.projector_name, &state.projector_version).await?;
            deleted += u64::from(is_deleted);
        }
        Ok(deleted)
    }

    async fn load(&self, stored: StoredProjectionState) -> Result<ProjectionState> {
        let compressed = match &stored.data {
            StateData::Inline(bytes) => bytes.clone(),
            StateData::Offloaded { key, provider } if provider == self.payloads.name() => {
                self.payloads.get(key).await?
            }
            StateData::Offloaded { provider, .. } => {
                let message = format!(
                    "the state of '{}' is in the object store '{provider}', which is not configured",
                    stored.projector_name
                );
                return Err(Error::corrupt(message));
            }
        };
        let payload = decompress(&compressed, stored.original_size_bytes)?;
        Ok(ProjectionState {
            last_sortable_unique_id: stored.last(),
            safe_window_threshold: SortableUniqueId::parse(&stored.safe_window_threshold).ok(),
            projector_name: stored.projector_name,
            projector_version: stored.projector_version,
            payload_type: stored.payload_type,
            build_source: stored.build_source,
            build_host: stored.build_host,
            events_processed: stored.events_processed,
            payload,
            revision: stored.revision,
            created_at: stored.created_at,
            updated_at: stored.updated_at,
        })
    }
}

impl std::fmt::Debug for MultiProjectionStateStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "MultiProjectionStateStore({:?})", self.provider)
    }
}

/// Names become parts of ids and of object keys.
fn check_name(what: &str, text: &str) -> Result<()> {
    let is_word = !text.is_empty()
        && text.len() <= 100
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_word && text != "." && text != ".." {
        return Ok(());
    }
    Err(Error::invalid(format!("a {what} has 1 to 100 letters, digits, '-', '_' and '.'")))
}

fn compress(payload: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(payload).and_then(|()| encoder.finish());
    written.map_err(|error| Error::internal(format!("a state cannot be compressed: {error}")))
}

fn decompress(compressed: &[u8], bytes: u64) -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    // Bounded by the stored size: a damaged stream must not fill the memory.
    let read = GzDecoder::new(compressed).take(bytes + 1).read_to_end(&mut payload);
    match read {
        Ok(read) if read as u64 == bytes => Ok(payload),
        _ => Err(Error::corrupt("the payload of a state is damaged")),
    }
}
