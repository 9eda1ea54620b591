//! The border to whatever runs scripts: a narrow trait and plain data.
//!
//! Owns what the engine asks of a script runtime and what a script asks of the engine. Does not own a language: the
//! crate `javascript` implements the trait, and an engine without a runtime refuses scripts. All JSON crosses the
//! border as text, because both sides have their own values.
//!
//! A script never waits for the engine. It runs until it has nothing left to do but wait for operations; then it
//! returns them as a step, the engine performs them, and the script goes on with their results. No thread is held
//! meanwhile, and a run may go on on another thread.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use model::Json;

/// Compiles and runs scripts.
pub trait ScriptRuntime: Send + Sync {
    /// Prepares a script for one run, in a realm that no other run has used.
    ///
    /// # Errors
    /// `Thrown` if the text is not a function.
    fn start(&self, call: ScriptCall) -> Result<Box<dyn ScriptRun>, ScriptFailure>;

    /// Prepares functions for the queries of one request, in a realm that no other request has used.
    ///
    /// # Errors
    /// `Thrown` if a text is not a function.
    fn functions(
        &self,
        sources: Vec<ScriptSource>,
        limits: ScriptLimits,
        meter: Arc<dyn ScriptMeter>,
    ) -> Result<Arc<dyn ScriptFunctions>, ScriptFailure>;

    /// Prepares what the next run will need. Called on a thread for scripts after a run was answered.
    fn prepare_next(&self) {}
}

/// One run of a script.
pub trait ScriptRun: Send {
    /// Lets the script go on with the results of the operations of the last step, in their order.
    ///
    /// # Errors
    /// A failure ends the run.
    fn resume(&mut self, answers: Vec<ScriptAnswer>) -> Result<ScriptStep, ScriptFailure>;

    /// What the script has logged so far; empty unless the call asks for it.
    fn log(&self) -> String;
}

/// The user-defined functions of one request.
pub trait ScriptFunctions: Send + Sync {
    /// Calls a function; `None` among arguments and as result is undefined.
    ///
    /// # Errors
    /// `Thrown` for what the function throws, other kinds for its limits.
    fn call(&self, name: &str, arguments: &[Option<Json>]) -> Result<Option<Json>, ScriptFailure>;
}

/// Time as the limits of a script see it.
pub trait ScriptMeter: Send + Sync {
    /// How long the request has run so far.
    fn elapsed(&self) -> Duration;

    /// Whether nobody waits for the request any more.
    fn is_cancelled(&self) -> bool;
}

/// The text of a script with the name that error messages show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptSource {
    /// Its id.
    pub name: String,
    /// The text: one function.
    pub text: Arc<str>,
}

/// What one run may consume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Time of the whole request.
    pub time_max: Duration,
    /// Heap of the script.
    pub memory_bytes_max: usize,
    /// Stack of the script.
    pub stack_bytes_max: usize,
    /// Bytes of the response, of the bodies in one step, and of the result of a function.
    pub output_bytes_max: usize,
    /// Operations on the container.
    pub operations_max: usize,
    /// Bytes of the log.
    pub log_bytes_max: usize,
}

/// What a script is run for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptPurpose {
    /// A stored procedure with its arguments, a JSON array.
    Procedure {
        /// The array.
        arguments: String,
    },
    /// A trigger before a write. It may change the item.
    Before {
        /// The name of the operation: `Create`, `Replace`, `Upsert` or `Delete`.
        operation: &'static str,
        /// The item of the request; none in a delete.
        item: Option<String>,
    },
    /// A trigger after a write. It may change the response.
    After {
        /// The name of the operation.
        operation: &'static str,
        /// The item of the request; none in a delete.
        item: Option<String>,
        /// The body of the response; none in a delete.
        response: Option<String>,
    },
}

/// One call of a script.
#[derive(Clone)]
pub struct ScriptCall {
    /// The script.
    pub source: ScriptSource,
    /// What it is run for.
    pub purpose: ScriptPurpose,
    /// The link of the container by resource ids.
    pub self_link: String,
    /// The link of the container by names.
    pub alternate_link: String,
    /// Whether the log is wanted.
    pub wants_log: bool,
    /// The seed of its random numbers.
    pub seed: u64,
    /// What it may consume.
    pub limits: ScriptLimits,
    /// The clock of the limits.
    pub meter: Arc<dyn ScriptMeter>,
}

/// What a run has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptStep {
    /// The script waits for these operations.
    Operations(Vec<ScriptOperation>),
    /// The script has ended.
    Ended(ScriptOutput),
}

/// What a script leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptOutput {
    /// The body it has set: of the response, or of the request in a trigger before a write.
    pub body: Option<String>,
}

/// How a script names an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptItemName {
    /// By id.
    Id(String),
    /// By resource id.
    ResourceId(String),
}

/// An operation on the container, in the logical partition of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptOperation {
    /// Creates an item.
    Create {
        /// The item.
        item: String,
        /// The indexing directive, as sent.
        indexing: Option<String>,
    },
    /// Creates or replaces an item.
    Upsert {
        /// The item.
        item: String,
        /// The etag that the stored item must have.
        etag: Option<String>,
        /// The indexing directive, as sent.
        indexing: Option<String>,
    },
    /// Replaces an item.
    Replace {
        /// The item to replace.
        name: ScriptItemName,
        /// The new item.
        item: String,
        /// The etag that the stored item must have.
        etag: Option<String>,
        /// The indexing directive, as sent.
        indexing: Option<String>,
    },
    /// Deletes an item.
    Delete {
        /// The item to delete.
        name: ScriptItemName,
        /// The etag that the stored item must have.
        etag: Option<String>,
    },
    /// Reads an item.
    Read {
        /// The item to read.
        name: ScriptItemName,
        /// The etag whose version is not wanted.
        unless_etag: Option<String>,
    },
    /// One page of a query.
    Query {
        /// The text.
        text: String,
        /// The parameters: a JSON array of names and values.
        parameters: Option<String>,
        /// The page.
        page: ScriptPage,
    },
    /// One page of all items.
    List {
        /// The page.
        page: ScriptPage,
    },
}

/// Which page a script asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptPage {
    /// Items at most.
    pub items_max: Option<usize>,
    /// Where it starts.
    pub continuation: Option<String>,
}

/// The result of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptAnswer {
    /// One item.
    Item(String),
    /// The item is still the version that is not wanted, or it was deleted.
    Nothing {
        /// Whether the item was not modified.
        not_modified: bool,
    },
    /// Rows, as JSON arrays without brackets, and where the next page starts.
    Page {
        /// The rows, each a JSON text.
        rows: Vec<String>,
        /// Where the next page starts.
        continuation: Option<String>,
    },
    /// The operation failed; the script may go on.
    Failed {
        /// The status code of the service.
        number: u16,
        /// The message.
        message: String,
    },
}

/// Why a script failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptFailureKind {
    /// It threw, or its text is not a function. The number is that of the error, if it has one.
    Thrown {
        /// The number of the error.
        number: Option<u16>,
    },
    /// It exceeded its time.
    OutOfTime,
    /// It exceeded its memory or its output.
    TooLarge,
    /// Nobody waits for it.
    Cancelled,
}

/// A failed script. Nothing it did is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFailure {
    /// Why.
    pub kind: ScriptFailureKind,
    /// The message, with the place in the script.
    pub message: String,
}

impl fmt::Display for ScriptFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ScriptFailure {}

impl fmt::Debug for ScriptCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ScriptCall({})", self.source.name)
    }
}
