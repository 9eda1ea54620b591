//! States of projections as a storage sees them: compressed bytes, or the key of an object elsewhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use service::timestamp::UtcTimestamp;

use crate::domain::SortableUniqueId;

/// The state of one version of one projector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredProjectionState {
    /// The name of the projector.
    pub projector_name: String,
    /// Its version.
    pub projector_version: String,
    /// The type of the payload.
    pub payload_type: String,
    /// The last event in the state; empty before the first.
    pub last_sortable_unique_id: String,
    /// Events later than this were not yet safe when the state was saved.
    pub safe_window_threshold: String,
    /// Who built it: `runner`, `rebuild`, a consumer group.
    pub build_source: String,
    /// The machine that built it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_host: Option<String>,
    /// How many events are in the state.
    pub events_processed: u64,
    /// Bytes of the payload.
    pub original_size_bytes: u64,
    /// Bytes of the compressed payload.
    pub compressed_size_bytes: u64,
    /// Counts the saves; a save can be tied to it.
    #[serde(default)]
    pub revision: u64,
    /// When it was first saved.
    pub created_at: UtcTimestamp,
    /// When it was last saved.
    pub updated_at: UtcTimestamp,
    /// The compressed payload, or where it is.
    #[serde(flatten)]
    pub data: StateData,
}

/// The compressed payload of a state, or where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "StateDataForm", try_from = "StateDataForm")]
pub enum StateData {
    /// In the item.
    Inline(Vec<u8>),
    /// In an object store.
    Offloaded {
        /// The key of the object.
        key: String,
        /// The name of the object store.
        provider: String,
    },
}

/// When a save happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveMode {
    /// Always.
    Replace,
    /// Only if the stored revision is this one; 0 if nothing may be stored.
    IfRevision(u64),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateDataForm {
    is_offloaded: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state_data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offload_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offload_provider: Option<String>,
}

impl From<StateData> for StateDataForm {
    fn from(data: StateData) -> Self {
        match data {
            StateData::Inline(bytes) => Self {
                is_offloaded: false,
                state_data: Some(STANDARD.encode(bytes)),
                offload_key: None,
                offload_provider: None,
            },
            StateData::Offloaded { key, provider } => Self {
                is_offloaded: true,
                state_data: None,
                offload_key: Some(key),
                offload_provider: Some(provider),
            },
        }
    }
}

impl TryFrom<StateDataForm> for StateData {
    type Error = String;

    fn try_from(form: StateDataForm) -> Result<Self, String> {
        match form {
            StateDataForm { is_offloaded: false, state_data: Some(text), .. } => STANDARD
                .decode(text)
                .map(Self::Inline)
                .map_err(|_| "'stateData' is no base64".to_owned()),
            StateDataForm { offload_key: Some(key), offload_provider: Some(provider), .. } => {
                Ok(Self::Offloaded { key, provider })
            }
            _ => Err("a state has 'stateData' or an 'offloadKey'".to_owned()),
        }
    }
}

impl StoredProjectionState {
    /// The last event in the state.
    #[must_use]
    pub fn last(&self) -> Option<SortableUniqueId> {
        SortableUniqueId::parse(&self.last_sortable_unique_id).ok()
    }
}
