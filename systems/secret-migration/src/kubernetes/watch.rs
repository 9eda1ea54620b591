//! Watches: changes of a resource since a version, with bookmarks, until the place is lost.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::StreamExt as _;
use kube::Error as KubeError;
use kube::api::{WatchEvent, WatchParams};
use serde_json::Value;

use crate::error::Result;

use super::api::{KubernetesApi, is_gone, named, request_of, unavailable};
use super::resource::KubernetesResource;

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
        // Bookmarks are asked for by default.
        let parameters = WatchParams::default().timeout(api.settings.watch_seconds);
        let request = request_of(self.resource).watch(&parameters, &version);
        let request =
            request.map_err(|error| unavailable(self.resource, &KubeError::BuildRequest(error)))?;
        let events = match api.client.request_events::<Value>(request).await {
            Ok(events) => events,
            Err(error) if is_gone(&error) => return Ok(self.lose()),
            Err(error) => return Err(unavailable(self.resource, &error)),
        };
        tokio::pin!(events);
        while let Some(event) = events.next().await {
            let taken = match event {
                Ok(event) => self.take_up(event),
                // A connection that breaks loses nothing: the next watch goes on from the last version.
                Err(KubeError::ReadEvents(_)) => return Ok(WatchEnd::Over),
                Err(_) => None,
            };
            match taken {
                Some(true) => changed(),
                Some(false) => {}
                None => return Ok(self.lose()),
            }
        }
        Ok(WatchEnd::Over)
    }

    fn lose(&self) -> WatchEnd {
        self.state().version = None;
        WatchEnd::Lost
    }

    /// Takes up one event: whether an object changed; `None` if the place is lost.
    fn take_up(&self, event: WatchEvent<Value>) -> Option<bool> {
        let mut state = self.state();
        let (version, is_change) = match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                let version = version_of(&object)?;
                let object = named(object, self.resource);
                state.objects.insert(key(&object), object);
                (version, true)
            }
            WatchEvent::Deleted(object) => {
                (version_of(&object)?, state.objects.remove(&key(&object)).is_some())
            }
            // Nothing changed up to this version: a later watch need not go through everything again.
            WatchEvent::Bookmark(bookmark) => (bookmark.metadata.resource_version, false),
            WatchEvent::Error(_) => return None,
        };
        state.version = Some(version);
        Some(is_change)
    }
}

fn version_of(object: &Value) -> Option<String> {
    object.pointer("/metadata/resourceVersion")?.as_str().map(str::to_owned)
}

/// The name of an object within its resource.
fn key(object: &Value) -> String {
    let text = |name: &str| object.pointer(name).and_then(Value::as_str).unwrap_or_default();
    format!("{}/{}", text("/metadata/namespace"), text("/metadata/name"))
}
