//! The scripts of containers, compared with those of an account.
//!
//! Owns which step follows from which difference. Scripts that a schema does not declare are left alone.

use client::{Account, DatabaseId};
use model::ContainerId;

use super::apply::SchemaApplyError;
use super::step::{Obstacle, SchemaPlan, SchemaStep, UndeclaredResource, Workaround};
use crate::schema::declaration::{ContainerSchema, Schema};
use crate::schema::script::{ScriptSchema, ScriptSchemaKind, ScriptStore};

impl Schema {
    /// Plans the changes that make an account match this schema, those of scripts too.
    ///
    /// # Errors
    /// [`SchemaApplyError::Account`] and [`SchemaApplyError::Scripts`] when something cannot be read.
    pub async fn plan_with_scripts(
        &self,
        account: &Account,
        store: &dyn ScriptStore,
    ) -> Result<SchemaPlan, SchemaApplyError> {
        let plan = self.plan_containers(account).await;
        let mut plan = plan.map_err(SchemaApplyError::comparing)?;
        for database in self.databases() {
            let declared = database.containers().iter();
            for container in declared.filter(|container| !container.scripts().is_empty()) {
                plan.scripts(database.id(), container, store).await?;
            }
        }
        Ok(plan)
    }
}

impl SchemaPlan {
    /// Adds an obstacle for each container with scripts: whoever planned this cannot write them.
    pub(super) fn refuse_scripts(&mut self, schema: &Schema) {
        for database in schema.databases() {
            for container in database.containers().iter().filter(|it| !it.scripts().is_empty()) {
                let scripts = container.scripts().iter().map(|one| format!("+ {}", titled(one)));
                self.obstacles.push(Obstacle {
                    resource: format!("container {}/{}", database.id(), container.id()),
                    property: "scripts",
                    differences: scripts.collect(),
                    reason: "scripts are not written through this connection".to_owned(),
                    workaround: Workaround::Instructions(
                        "use `planisphere schema apply`, or `planisphere script push`".to_owned(),
                    ),
                });
            }
        }
    }

    async fn scripts(
        &mut self,
        database: &DatabaseId,
        container: &ContainerSchema,
        store: &dyn ScriptStore,
    ) -> Result<(), SchemaApplyError> {
        let id = container.id();
        let known = match self.creates(database, id) {
            true => Vec::new(),
            false => store.list(database, id).await.map_err(|error| SchemaApplyError::Scripts {
                doing: format!("reading the scripts of container {database}/{id}"),
                error,
            })?,
        };
        for script in container.scripts() {
            let before = known.iter().find(|known| known.is_same_resource(script));
            if before == Some(script) {
                self.unchanged += 1;
                continue;
            }
            self.steps.push(SchemaStep::PutScript {
                database: database.clone(),
                container: id.clone(),
                script: Box::new(script.clone()),
                differences: before.map(|before| differences(before, script)),
            });
        }
        for other in &known {
            if !container.scripts().iter().any(|script| script.is_same_resource(other)) {
                let (database, id) = (database.clone(), id.clone());
                self.undeclared.push(UndeclaredResource::Script(database, id, titled(other)));
            }
        }
        Ok(())
    }

    fn creates(&self, database: &DatabaseId, id: &ContainerId) -> bool {
        self.steps.iter().any(|step| match step {
            SchemaStep::CreateContainer { database: of, container } => {
                of == database && container.id() == id
            }
            _ => false,
        })
    }
}

/// A script as plans name it.
pub(super) fn titled(script: &ScriptSchema) -> String {
    match script.kind() {
        ScriptSchemaKind::Trigger { trigger_type, operation } => {
            format!("trigger {} ({trigger_type} {operation})", script.id())
        }
        kind => format!("{kind} {}", script.id()),
    }
}

fn differences(before: &ScriptSchema, after: &ScriptSchema) -> Vec<String> {
    let mut differences = Vec::new();
    let runs = |script: &ScriptSchema| match script.kind() {
        ScriptSchemaKind::Trigger { trigger_type, operation } => {
            Some(format!("{trigger_type} {operation}"))
        }
        _ => None,
    };
    if let (Some(from), Some(to)) = (runs(before), runs(after))
        && from != to
    {
        differences.push(format!("runs: {from} -> {to}"));
    }
    if before.body() != after.body() {
        let kept: Vec<&str> = before.body().lines().collect();
        let new = after.body().lines().filter(|line| !kept.contains(line)).count();
        let (from, to) = (kept.len(), after.body().lines().count());
        differences.push(format!("text: {from} -> {to} lines, {new} of them new"));
    }
    differences
}
