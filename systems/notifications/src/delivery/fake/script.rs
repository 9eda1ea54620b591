//! What a fake does with the next pushes, and what it has seen so far.
//!
//! Owns the faults in waiting and the records. Does not own the checks; those belong to each fake.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::http_message::{FakeResponse, ReceivedRequest};

/// What happens to one push instead of its acceptance.
#[derive(Clone, Debug)]
pub enum ScriptedFault {
    /// This is answered.
    Respond(FakeResponse),
    /// The connection ends without an answer.
    DropConnection,
    /// The push is accepted; then the connection takes its leave (GOAWAY over HTTP/2, a close over HTTP/1.1).
    GoAwayAfter,
    /// The push is accepted when the gate opens.
    Hold(ResponseGate),
}

impl From<FakeResponse> for ScriptedFault {
    fn from(reply: FakeResponse) -> Self {
        Self::Respond(reply)
    }
}

/// Holds answers back until it is opened; then it stays open.
#[derive(Clone, Debug)]
pub struct ResponseGate {
    open: Arc<watch::Sender<bool>>,
}

impl Default for ResponseGate {
    fn default() -> Self {
        Self { open: Arc::new(watch::Sender::new(false)) }
    }
}

impl ResponseGate {
    /// Lets everything pass.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    pub(super) async fn passed(&self) {
        // The sender lives in `self`, so the wait ends only by opening.
        let _ = self.open.subscribe().wait_for(|open| *open).await;
    }
}

/// A push a fake took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedPush {
    /// The id the fake gave it.
    pub provider_id: String,
    /// Push token, URL path or mail address.
    pub target: String,
    /// Pushes with the same one replace each other on the device.
    pub collapse_id: String,
}

/// The script and the records of one fake.
#[derive(Debug, Default)]
pub struct Script {
    state: Mutex<ScriptState>,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct ScriptState {
    next: VecDeque<ScriptedFault>,
    always: Option<ScriptedFault>,
    by_target: BTreeMap<String, ScriptedFault>,
    received: Vec<ReceivedRequest>,
    accepted: Vec<AcceptedPush>,
    violations: Vec<String>,
}

impl Script {
    /// Adds a fault for one push, after those already waiting.
    pub fn next(&self, fault: impl Into<ScriptedFault>) {
        self.state().next.push_back(fault.into());
    }

    /// Sets the fault of every push, once the waiting ones are used up.
    pub fn always(&self, fault: impl Into<ScriptedFault>) {
        self.state().always = Some(fault.into());
    }

    /// Sets the fault of every push to one target; it goes before all others.
    pub fn for_target(&self, target: &str, fault: impl Into<ScriptedFault>) {
        self.state().by_target.insert(target.to_owned(), fault.into());
    }

    /// Forgets all faults; the records stay.
    pub fn clear(&self) {
        let mut state = self.state();
        state.next.clear();
        state.by_target.clear();
        state.always = None;
    }

    /// Every push request so far, refused ones too.
    #[must_use]
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.state().received.clone()
    }

    /// Every push taken so far.
    #[must_use]
    pub fn accepted(&self) -> Vec<AcceptedPush> {
        self.state().accepted.clone()
    }

    /// How many pushes were taken, by collapse id.
    #[must_use]
    pub fn accepted_by_collapse_id(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for accepted in &self.state().accepted {
            *counts.entry(accepted.collapse_id.clone()).or_default() += 1;
        }
        counts
    }

    /// What the real provider would not have taken, one sentence each.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.state().violations.clone()
    }

    /// Waits until `count` push requests have arrived.
    pub async fn until_received(&self, count: usize) {
        let mut changed = self.changed.subscribe();
        // The sender lives in `self`, so the wait ends only by the count.
        let _ = changed.wait_for(|_| self.state().received.len() >= count).await;
    }

    pub(super) fn receive(&self, received: ReceivedRequest) {
        self.state().received.push(received);
        self.changed.send_modify(|count| *count += 1);
    }

    pub(super) fn violate(&self, violation: String) {
        self.state().violations.push(violation);
    }

    pub(super) fn take_fault(&self, target: &str) -> Option<ScriptedFault> {
        let mut state = self.state();
        if let Some(fault) = state.by_target.get(target) {
            return Some(fault.clone());
        }
        state.next.pop_front().or_else(|| state.always.clone())
    }

    /// Records a push as taken and gives it an id made by `name` from its number.
    pub(super) fn accept(
        &self,
        target: &str,
        collapse_id: &str,
        name: impl FnOnce(usize) -> String,
    ) -> String {
        let mut state = self.state();
        let provider_id = name(state.accepted.len() + 1);
        state.accepted.push(AcceptedPush {
            provider_id: provider_id.clone(),
            target: target.to_owned(),
            collapse_id: collapse_id.to_owned(),
        });
        provider_id
    }

    fn state(&self) -> MutexGuard<'_, ScriptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
