//! Operations on their way from a script to the engine.
//!
//! Owns the queue of one run, its limits, and the conversion of what `host.js` passes. Does not perform operations.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::script_runtime::{ScriptItemName, ScriptOperation, ScriptPage};
use model::Json;

use crate::realm::InterruptGate;

/// What `host.js` passes for one operation: its kind, its text, its name, its condition, its indexing directive.
pub(crate) type HostRequest =
    (String, Option<String>, Option<String>, Option<String>, Option<String>);

/// The operations and the log of one run.
#[derive(Clone)]
pub(crate) struct OperationQueue {
    gate: Arc<InterruptGate>,
    state: Arc<Mutex<PendingOperations>>,
}

#[derive(Default)]
struct PendingOperations {
    /// Operations that were accepted so far.
    accepted: usize,
    pending: Vec<(usize, ScriptOperation)>,
    pending_bytes: usize,
    log: String,
}

impl OperationQueue {
    pub(crate) fn new(gate: &Arc<InterruptGate>) -> Self {
        Self { gate: Arc::clone(gate), state: Arc::default() }
    }

    /// Queues an operation; returns its number, or -1 if it is not accepted.
    pub(crate) fn push(&self, request: HostRequest) -> i32 {
        let limits = &self.gate.limits;
        let bytes = request.1.as_ref().map_or(0, String::len);
        let mut state = self.lock();
        if !self.gate.accepts()
            || state.accepted >= limits.operations_max
            || state.pending_bytes + bytes > limits.output_bytes_max
        {
            return -1;
        }
        let Some(operation) = operation(request) else { return -1 };
        let number = state.accepted;
        state.accepted += 1;
        state.pending_bytes += bytes;
        state.pending.push((number, operation));
        i32::try_from(number).unwrap_or(-1)
    }

    /// Takes what was queued.
    pub(crate) fn take(&self) -> Vec<(usize, ScriptOperation)> {
        let mut state = self.lock();
        state.pending_bytes = 0;
        std::mem::take(&mut state.pending)
    }

    /// Appends to the log; what does not fit is left out.
    pub(crate) fn write_log(&self, text: &str) {
        let mut state = self.lock();
        if state.log.len() + text.len() <= self.gate.limits.log_bytes_max {
            state.log.push_str(text);
        }
    }

    pub(crate) fn log(&self) -> String {
        self.lock().log.clone()
    }

    fn lock(&self) -> MutexGuard<'_, PendingOperations> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn operation((kind, text, name, condition, indexing): HostRequest) -> Option<ScriptOperation> {
    Some(match kind.as_str() {
        "create" => ScriptOperation::Create { item: text?, indexing },
        "upsert" => ScriptOperation::Upsert { item: text?, etag: condition, indexing },
        "replace" => {
            let name = item_name(&name?)?;
            ScriptOperation::Replace { name, item: text?, etag: condition, indexing }
        }
        "delete" => ScriptOperation::Delete { name: item_name(&name?)?, etag: condition },
        "read" => ScriptOperation::Read { name: item_name(&name?)?, unless_etag: condition },
        "query" => {
            ScriptOperation::Query { text: name?, parameters: condition, page: page(&text?) }
        }
        "list" => ScriptOperation::List { page: page(&text?) },
        _ => return None,
    })
}

/// `=` and an id, or `#` and a resource id.
fn item_name(name: &str) -> Option<ScriptItemName> {
    match (name.get(..1)?, name.get(1..)?) {
        ("=", id) => Some(ScriptItemName::Id(id.to_owned())),
        (_, rid) => Some(ScriptItemName::ResourceId(rid.to_owned())),
    }
}

fn page(text: &str) -> ScriptPage {
    /// Items of a page when a script asks for no number.
    const ITEMS_DEFAULT: usize = 100;
    let options = Json::parse(text.as_bytes()).unwrap_or(Json::Null);
    let items_max = match options.get("pageSize") {
        Some(Json::Number(number)) => {
            number.as_i64().and_then(|number| usize::try_from(number).ok()).filter(|n| *n > 0)
        }
        _ => Some(ITEMS_DEFAULT),
    };
    let continuation = options.get("continuation").and_then(Json::as_str);
    let continuation = continuation.filter(|token| !token.is_empty()).map(str::to_owned);
    ScriptPage { items_max, continuation }
}
