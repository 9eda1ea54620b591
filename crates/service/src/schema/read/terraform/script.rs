//! The scripts in Terraform files.
//!
//! Owns the arguments of the three resources. A procedure names its container, the other two its id in Azure.

use super::arguments::ResourceArguments;
use crate::schema::location::SchemaError;
use crate::schema::read::builder::{Located, SchemaBuilder, ScriptDraft, ScriptDraftKind};

pub(super) const PROCEDURE: &str = "azurerm_cosmosdb_sql_stored_procedure";
pub(super) const TRIGGER: &str = "azurerm_cosmosdb_sql_trigger";
pub(super) const FUNCTION: &str = "azurerm_cosmosdb_sql_function";

const OF_PROCEDURE: &[&str] =
    &["name", "resource_group_name", "account_name", "database_name", "container_name", "body"];
const OF_TRIGGER: &[&str] = &["name", "container_id", "body", "operation", "type"];
const OF_FUNCTION: &[&str] = &["name", "container_id", "body"];

pub(super) fn procedure(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<(), SchemaError> {
    arguments.reject_unknown(OF_PROCEDURE, builder);
    let container =
        (arguments.required_text("database_name")?, arguments.required_text("container_name")?);
    draft(arguments, builder, container, ScriptDraftKind::Procedure)
}

pub(super) fn trigger(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<(), SchemaError> {
    arguments.reject_unknown(OF_TRIGGER, builder);
    let kind = ScriptDraftKind::Trigger {
        trigger_type: arguments.required_text("type")?,
        operation: arguments.required_text("operation")?,
    };
    draft(arguments, builder, named_by_id(arguments)?, kind)
}

pub(super) fn function(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<(), SchemaError> {
    arguments.reject_unknown(OF_FUNCTION, builder);
    draft(arguments, builder, named_by_id(arguments)?, ScriptDraftKind::Function)
}

fn draft(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
    (database, container): (Located<String>, Located<String>),
    kind: ScriptDraftKind,
) -> Result<(), SchemaError> {
    let (id, body) = (arguments.required_text("name")?, arguments.required_text("body")?);
    builder.scripts.push(ScriptDraft { database, container, id, body, kind });
    Ok(())
}

/// The database and the container in `.../sqlDatabases/DATABASE/containers/CONTAINER`.
fn named_by_id(
    arguments: &ResourceArguments<'_>,
) -> Result<(Located<String>, Located<String>), SchemaError> {
    let id = arguments.required_text("container_id")?;
    let mut parts = id.value.rsplit('/');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(container), Some("containers"), Some(database), Some("sqlDatabases")) => {
            let located = |name: &str| Located::new(name.to_owned(), id.location.clone());
            Ok((located(database), located(container)))
        }
        _ => Err(SchemaError::at(
            &id.location,
            format!(
                "container_id is '{}'; it ends with sqlDatabases/DATABASE/containers/CONTAINER, as \
                 azurerm_cosmosdb_sql_container.LABEL.id does",
                id.value
            ),
        )),
    }
}
