//! Watches: changes of a resource since a version, with bookmarks, until the place is lost.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, ErrorKind, Result};

use super::api::{KubernetesApi, named};
use super::resource::KubernetesResource;

/// A larger line is no event.
const LINE_BYTES_MAX: usize = 16 << 20;

/// The objects of one resource, kept up to date by a watch.
pub(super) struct WatchedResource {
    pub(super) resource: KubernetesResource,
    state: Mutex<WatchState>,
}

#[derive(Default)]
struct WatchState {
    objects: BTreeMap<String, Value>,
    /// Where the next watch goes on; `None` if the list must be read first.
    version: Option<String>,
    /// The cluster does not have the resource.
    is_absent: bool,
}

/// How a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchEnd {
    /// Its time was over; the next one goes on.
    Over,
    /// Its place is lost: the list must be read again.
    Lost,
}

#[derive(Deserialize)]
struct WatchEvent {
    #[serde(rename = "type")]
    kind: String,
    object: Value,
}

impl WatchState {
    fn absent() -> Self {
        Self { is_absent: true, ..Self::default() }
    }
}

impl WatchedResource {
    pub(super) fn new(resource: KubernetesResource) -> Self {
        Self { resource, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The objects as they are known now.
    pub(super) fn objects(&self) -> Vec<Value> {
        self.state().objects.values().cloned().collect()
    }

    /// Reads the list if the place is not known; returns whether the objects may have changed.
    pub(super) async fn list_if_lost(&self, api: &KubernetesApi) -> Result<bool> {
        if self.is_listed() {
            return Ok(false);
        }
        let list = api.list(self.resource).await?;
        let Some(list) = list else {
            // A resource that the cluster does not have yet is asked for again with the next list.
            let was_known = std::mem::replace(&mut *self.state(), WatchState::absent()).is_absent;
            return Ok(!was_known);
        };
        let objects = list.objects.into_iter().map(|object| (key(&object), object)).collect();
        *self.state() = WatchState { objects, version: Some(list.version), is_absent: false };
        Ok(true)
    }

    /// Whether there is a list that a watch can go on from.
    pub(super) fn is_listed(&self) -> bool {
        self.state().version.is_some()
    }

    /// Whether its objects are known: listed, or known to be none.
    pub(super) fn is_known(&self) -> bool {
        let state = self.state();
        state.version.is_some() || state.is_absent
    }

    /// Takes up changes until the watch ends, and calls `changed` after each.
    pub(super) async fn watch(
        &self,
        api: &KubernetesApi,
        changed: impl Fn() + Send + Sync,
    ) -> Result<WatchEnd> {
        let version = self.state().version.clone().unwrap_or_default();
        let seconds = api.settings.watch_seconds;
        let query = format!(
            "watch=1&allowWatchBookmarks=true&timeoutSeconds={seconds}&resourceVersion={version}"
        );
        let path = self.resource.path;
        let mut response = api.get(self.resource, &query).await?;
        match response.status().as_u16() {
            200 => {}
            410 => return Ok(self.lose()),
            status => {
                let message = format!("{path}: the interface answers {status}");
                return Err(Error::new(ErrorKind::Unavailable, message));
            }
        }
        let mut buffer: Vec<u8> = Vec::new();
        // A connection that breaks loses nothing: the next watch goes on from the last version.
        while let Ok(Some(chunk)) = response.chunk().await {
            buffer.extend_from_slice(&chunk);
            while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = buffer.drain(..=end).collect();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let taken = self.take_up(&line);
                match taken {
                    Some(true) => changed(),
                    Some(false) => {}
                    None => return Ok(self.lose()),
                }
            }
            if buffer.len() > LINE_BYTES_MAX {
                return Ok(self.lose());
            }
        }
        Ok(WatchEnd::Over)
    }

    fn lose(&self) -> WatchEnd {
        self.state().version = None;
        WatchEnd::Lost
    }

    /// Takes up one event: whether an object changed; `None` if the place is lost.
    fn take_up(&self, line: &[u8]) -> Option<bool> {
        let event: WatchEvent = serde_json::from_slice(line).ok()?;
        let version = event.object.pointer("/metadata/resourceVersion").and_then(Value::as_str);
        let version = version.map(str::to_owned);
        let mut state = self.state();
        let is_change = match event.kind.as_str() {
            "ADDED" | "MODIFIED" => {
                let object = named(event.object, self.resource);
                state.objects.insert(key(&object), object);
                true
            }
            "DELETED" => state.objects.remove(&key(&event.object)).is_some(),
            // Nothing changed up to this version: a later watch need not go through everything again.
            "BOOKMARK" => false,
            _ => return None,
        };
        state.version = Some(version?);
        Some(is_change)
    }
}

/// The name of an object within its resource.
fn key(object: &Value) -> String {
    let text = |name: &str| object.pointer(name).and_then(Value::as_str).unwrap_or_default();
    format!("{}/{}", text("/metadata/namespace"), text("/metadata/name"))
}
