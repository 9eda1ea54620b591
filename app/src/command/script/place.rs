//! Where scripts are: what the command asks of a folder or a server.

use engine::AttachedKind;
use model::Object;

use super::file::ScriptFile;
use crate::error::CommandError;

/// One call of a procedure.
pub(in crate::command) struct ProcedureCall {
    pub(super) procedure: String,
    /// A JSON array.
    pub(super) partition_key: String,
    /// A JSON array.
    pub(super) arguments: String,
}

/// What a procedure returned.
pub(in crate::command) struct ProcedureAnswer {
    pub(super) body: String,
    pub(super) log: String,
    pub(super) charge: String,
}

/// The scripts of one container.
pub(in crate::command) trait ScriptPlace {
    /// The scripts of one kind.
    async fn list(&self, kind: AttachedKind) -> Result<Vec<Object>, CommandError>;
    /// Creates or replaces a script.
    async fn put(&self, script: &ScriptFile) -> Result<(), CommandError>;
    /// Runs a procedure.
    async fn call(&self, call: ProcedureCall) -> Result<ProcedureAnswer, CommandError>;
}
