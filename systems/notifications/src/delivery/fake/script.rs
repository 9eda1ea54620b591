//! The script of a fake: what it does with the next pushes, and what it has recorded.
//!
//! Does not own the validation of requests; that belongs to each fake.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use service::mail::ResponseGate;
use tokio::sync::watch;

use super::http_message::{FakeResponse, ReceivedRequest};

/// What happens to a push instead of its acceptance.
#[derive(Clone, Debug)]
pub enum ScriptedFault {
    /// This response is sent.
    Respond(FakeResponse),
    /// The connection is closed without a response.
    DropConnection,
    /// The push is accepted; then the connection is shut down (GOAWAY over HTTP/2, close over HTTP/1.1).
    GoAwayAfter,
    /// The push is accepted when the gate opens.
    Hold(ResponseGate),
}

impl From<FakeResponse> for ScriptedFault {
    fn from(reply: FakeResponse) -> Self {
        Self::Respond(reply)
    }
}

/// A push that a fake accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedPush {
    /// The id that the fake gave it.
    pub provider_id: String,
    /// Push token, URL path or mail address.
    pub target: String,
    /// Pushes with the same id replace each other on the device.
    pub collapse_id: String,
}

/// The script and the records of one endpoint of a fake.
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
    /// Adds a fault for one push, after those already queued.
    pub fn next(&self, fault: impl Into<ScriptedFault>) {
        self.state().next.push_back(fault.into());
    }

    /// Sets the fault of every push after the queued ones.
    pub fn always(&self, fault: impl Into<ScriptedFault>) {
        self.state().always = Some(fault.into());
    }

    /// Sets the fault of every push to one target, which has priority over all others.
    pub fn for_target(&self, target: &str, fault: impl Into<ScriptedFault>) {
        self.state().by_target.insert(target.to_owned(), fault.into());
    }

    /// Removes all faults; the records stay.
    pub fn clear(&self) {
        let mut state = self.state();
        state.next.clear();
        state.by_target.clear();
        state.always = None;
    }

    /// All requests so far, including refused ones.
    #[must_use]
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.state().received.clone()
    }

    /// All accepted pushes so far.
    #[must_use]
    pub fn accepted(&self) -> Vec<AcceptedPush> {
        self.state().accepted.clone()
    }

    /// The number of accepted pushes by collapse id.
    #[must_use]
    pub fn accepted_by_collapse_id(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for accepted in &self.state().accepted {
            *counts.entry(accepted.collapse_id.clone()).or_default() += 1;
        }
        counts
    }

    /// Why the real provider would have refused requests.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.state().violations.clone()
    }

    /// Waits until `count` requests were received.
    pub async fn until_received(&self, count: usize) {
        let mut changed = self.changed.subscribe();
        // The sender is in `self`, so waiting cannot fail.
        let _ = changed.wait_for(|_| self.state().received.len() >= count).await;
    }

    pub(super) fn record_request(&self, received: ReceivedRequest) {
        self.state().received.push(received);
        // After the record is in the list: `until_received` looks at the list when it wakes.
        self.changed.send_modify(|count| *count += 1);
    }

    pub(super) fn record_violation(&self, violation: String) {
        self.state().violations.push(violation);
    }

    pub(super) fn take_fault(&self, target: &str) -> Option<ScriptedFault> {
        let mut state = self.state();
        if let Some(fault) = state.by_target.get(target) {
            return Some(fault.clone());
        }
        state.next.pop_front().or_else(|| state.always.clone())
    }

    /// Records a push as accepted. `name` makes its id from its number.
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
