//! The stored scripts of a container.
//!
//! Owns finding a script by name and the rules of trigger resources. Does not own their storage: see `catalog`.

use model::{Json, Object};

use crate::catalog::{AttachedKind, AttachedResource, ContainerEntry};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::script_runtime::ScriptSource;

/// When a trigger runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TriggerTime {
    Before,
    After,
}

impl Engine {
    /// A script of a container, by id or resource id.
    pub(super) async fn load_script(
        &self,
        container: &ContainerEntry,
        kind: AttachedKind,
        named: &str,
    ) -> Result<AttachedResource> {
        Ok(self.read_attached(container.identity.rid, kind, named).await?.value)
    }

    /// The trigger that a write names; none if it names none.
    pub(super) async fn load_trigger(
        &self,
        container: &ContainerEntry,
        names: &[String],
        time: TriggerTime,
        operation: &'static str,
    ) -> Result<Option<ScriptSource>> {
        let name = match names {
            [] => return Ok(None),
            [name] => name,
            _ => {
                return Err(Error::invalid(format!(
                    "At most one trigger before and one after the operation can run; the request names {}.",
                    names.join(", ")
                )));
            }
        };
        let trigger = self.load_script(container, AttachedKind::Trigger, name).await?;
        let (wanted, title) = match time {
            TriggerTime::Before => ("Pre", "pre-trigger"),
            TriggerTime::After => ("Post", "post-trigger"),
        };
        let property = |name: &str| trigger.content.get(name).and_then(Json::as_str).unwrap_or("");
        if !property("triggerType").eq_ignore_ascii_case(wanted) {
            return Err(Error::invalid(format!(
                "The trigger '{name}' is of type '{}' and cannot run as a {title}.",
                property("triggerType")
            )));
        }
        let registered = property("triggerOperation");
        if !matches_operation(registered, operation) {
            return Err(Error::invalid(format!(
                "The trigger '{name}' is registered for '{registered}' and cannot run with '{operation}'."
            )));
        }
        Ok(Some(source(&trigger)))
    }
}

/// The text of a script.
pub(super) fn source(resource: &AttachedResource) -> ScriptSource {
    ScriptSource { name: resource.id.clone(), text: body(&resource.content).into() }
}

fn body(content: &Object) -> &str {
    content.get("body").and_then(Json::as_str).unwrap_or_default()
}

/// Whether a trigger that is registered for some operations runs with one. `Update` is the older name of the two
/// operations that replace.
fn matches_operation(registered: &str, operation: &str) -> bool {
    registered.eq_ignore_ascii_case("All")
        || registered.eq_ignore_ascii_case(operation)
        || registered.eq_ignore_ascii_case("Update") && matches!(operation, "Replace" | "Upsert")
}

/// An engine that was opened without a script runtime.
pub(super) fn no_runtime(what: &str) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!(
            "{what} is stored but cannot be run: this engine was opened without a script runtime."
        ),
    )
}
