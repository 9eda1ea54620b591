//! The scripts of a template: stored procedures, triggers and user-defined functions below a container.
//!
//! Owns the names of their members. Options are read by nobody: scripts have no throughput.

use model::Json;

use super::expression::TemplateScope;
use super::reader::{TemplateReader, TemplateResource};
use super::resource::{OF_PROPERTIES, OF_RESOURCE, id, reject_unknown, required, segments};
use crate::schema::location::SchemaError;
use crate::schema::read::builder::{Located, ScriptDraft, ScriptDraftKind};

const OF_SCRIPT: &[&str] = &["id", "body"];
const OF_TRIGGER: &[&str] = &["id", "body", "triggerType", "triggerOperation"];

pub(super) fn procedure(
    reader: &mut TemplateReader<'_>,
    scope: &TemplateScope,
    found: &TemplateResource<'_>,
) -> Result<(), SchemaError> {
    draft(reader, scope, found, "a stored procedure", OF_SCRIPT, |_| Ok(ScriptDraftKind::Procedure))
}

pub(super) fn function(
    reader: &mut TemplateReader<'_>,
    scope: &TemplateScope,
    found: &TemplateResource<'_>,
) -> Result<(), SchemaError> {
    draft(reader, scope, found, "a function", OF_SCRIPT, |_| Ok(ScriptDraftKind::Function))
}

pub(super) fn trigger(
    reader: &mut TemplateReader<'_>,
    scope: &TemplateScope,
    found: &TemplateResource<'_>,
) -> Result<(), SchemaError> {
    draft(reader, scope, found, "a trigger", OF_TRIGGER, |member| {
        Ok(ScriptDraftKind::Trigger {
            trigger_type: member("triggerType")?,
            operation: member("triggerOperation")?,
        })
    })
}

type MemberText<'a> = &'a dyn Fn(&str) -> Result<Located<String>, SchemaError>;

fn draft(
    reader: &mut TemplateReader<'_>,
    scope: &TemplateScope,
    found: &TemplateResource<'_>,
    thing: &str,
    known: &[&str],
    kind: impl FnOnce(MemberText<'_>) -> Result<ScriptDraftKind, SchemaError>,
) -> Result<(), SchemaError> {
    reject_unknown(reader, found.json, &found.pointer, thing, OF_RESOURCE);
    let pointer = format!("{}/properties", found.pointer);
    let properties = required(reader, found.json, &found.pointer, "properties")?;
    reject_unknown(reader, properties, &pointer, thing, OF_PROPERTIES);
    let [database, container, name] = segments(reader, scope, found)?;
    let id = id(reader, scope, properties, &pointer, &name)?;
    let resource = required(reader, properties, &pointer, "resource")?;
    let pointer = format!("{pointer}/resource");
    reject_unknown(reader, resource, &pointer, thing, known);
    let member = |name: &str| {
        let given = required(reader, resource, &pointer, name)?;
        let pointer = format!("{pointer}/{name}");
        let value = reader.known(scope, given, &pointer)?;
        match value {
            Json::String(text) => Ok(Located::new(text, reader.lines.location(&pointer))),
            other => Err(reader.at(&pointer, format!("{name} is a text, not {other}"))),
        }
    };
    let (body, kind) = (member("body")?, kind(&member)?);
    reader.builder.scripts.push(ScriptDraft { database, container, id, body, kind });
    Ok(())
}
