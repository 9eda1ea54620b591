//! The scripts of a container in a folder.

use engine::operation::ExecuteProcedure;
use engine::{AttachedKind, ContainerLink, Engine};
use model::{Object, PartitionKey, ResourceId};

use super::file::ScriptFile;
use super::place::{ProcedureAnswer, ProcedureCall, ScriptPlace};
use crate::error::CommandError;

/// A container of an engine.
pub(in crate::command) struct FolderScripts<'a> {
    pub(in crate::command) engine: &'a Engine,
    pub(in crate::command) container: &'a ContainerLink,
}

impl FolderScripts<'_> {
    fn owner(&self) -> Result<ResourceId, CommandError> {
        let (database, container) = (&self.container.database, &self.container.container);
        let address = self.engine.resolve_container(database.as_str(), container.as_str());
        Ok(address.map_err(|error| self.failed(&error))?.rid)
    }

    fn failed(&self, error: &engine::Error) -> CommandError {
        CommandError::from_error(format!("the scripts of {}", self.container), error)
    }
}

impl ScriptPlace for FolderScripts<'_> {
    async fn list(&self, kind: AttachedKind) -> Result<Vec<Object>, CommandError> {
        let listed = self.engine.list_attached(self.owner()?, kind).await;
        let listed = listed.map_err(|error| self.failed(&error))?.value;
        Ok(listed.into_iter().map(|script| script.content).collect())
    }

    async fn put(&self, script: &ScriptFile) -> Result<(), CommandError> {
        let (owner, content) = (self.owner()?, script.content.clone());
        let known = self.engine.read_attached(owner, script.kind, &script.id).await;
        let written = match known {
            Ok(known) => {
                self.engine.replace_attached(script.kind, &known.value, content, None).await
            }
            Err(_) => self.engine.create_attached(owner, script.kind, content).await,
        };
        written.map(drop).map_err(|error| self.failed(&error))
    }

    async fn call(&self, call: ProcedureCall) -> Result<ProcedureAnswer, CommandError> {
        let action = || format!("running the procedure {}", call.procedure);
        let partition_key = PartitionKey::parse(&call.partition_key)
            .map_err(|error| CommandError::new(action(), error.message()))?;
        let operation = ExecuteProcedure {
            container: self.container.clone(),
            procedure: call.procedure.clone(),
            partition_key,
            arguments: call.arguments.clone(),
            wants_log: true,
        };
        let result = self.engine.execute_procedure(operation).await;
        let result = result.map_err(|error| {
            let log = error.script_log().unwrap_or_default().to_owned();
            CommandError::from_error(action(), &error).detail(log)
        })?;
        Ok(ProcedureAnswer {
            body: result.value.body.unwrap_or_default(),
            log: result.value.log.unwrap_or_default(),
            charge: result.charge.to_string(),
        })
    }
}
