//! Scripts as files: one file for each script of a container.
//!
//! ```text
//! DIR/procedures/ID.js
//! DIR/functions/ID.js
//! DIR/triggers/ID.pre.create.js     pre or post; all, create, replace, upsert, update or delete
//! ```

use std::path::{Path, PathBuf};

use engine::AttachedKind;
use model::Object;

use crate::error::CommandError;

/// The kinds of scripts, with their folders, the segments of their paths and the words for them.
pub(in crate::command) const KINDS: [(AttachedKind, &str, &str, &str); 3] = [
    (AttachedKind::StoredProcedure, "procedures", "sprocs", "procedure"),
    (AttachedKind::Trigger, "triggers", "triggers", "trigger"),
    (AttachedKind::UserDefinedFunction, "functions", "udfs", "function"),
];

/// A script in a file, as it is sent.
pub(in crate::command) struct ScriptFile {
    pub(in crate::command) kind: AttachedKind,
    pub(in crate::command) id: String,
    pub(in crate::command) content: Object,
}

/// Reads all scripts of a folder, in the order of their names.
pub(super) fn read_scripts(folder: &Path) -> Result<Vec<ScriptFile>, CommandError> {
    let mut scripts = Vec::new();
    for (kind, name, ..) in KINDS {
        let folder = folder.join(name);
        if !folder.is_dir() {
            continue;
        }
        for path in script_paths(&folder)? {
            let text = std::fs::read_to_string(&path).map_err(|error| failed(&path, &error))?;
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            scripts.push(script(kind, stem, &text).map_err(|reason| {
                CommandError::new(format!("reading {}", path.display()), reason)
            })?);
        }
    }
    if scripts.is_empty() {
        let reason = "it has no scripts";
        return Err(CommandError::new(format!("reading {}", folder.display()), reason)
            .hint("Put files into its folders procedures, triggers and functions"));
    }
    Ok(scripts)
}

fn script_paths(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let entries = std::fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(folder, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "js") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn failed(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::new(format!("reading {}", path.display()), error.to_string())
}

fn script(kind: AttachedKind, stem: &str, text: &str) -> Result<ScriptFile, String> {
    let mut content = Object::new();
    let id = match kind {
        AttachedKind::Trigger => {
            let mut parts = stem.rsplitn(3, '.');
            let (operation, time, id) = (parts.next(), parts.next(), parts.next());
            let (Some(operation), Some(time), Some(id)) = (operation, time, id) else {
                return Err("name a trigger as ID.pre.create.js".to_owned());
            };
            content.insert("triggerType", one_of(time, &["Pre", "Post"])?);
            let operations = ["All", "Create", "Replace", "Upsert", "Update", "Delete"];
            content.insert("triggerOperation", one_of(operation, &operations)?);
            id
        }
        _ => stem,
    };
    content.insert("id", id);
    content.insert("body", text);
    Ok(ScriptFile { kind, id: id.to_owned(), content })
}

fn one_of(text: &str, allowed: &[&'static str]) -> Result<&'static str, String> {
    let found = allowed.iter().find(|name| name.eq_ignore_ascii_case(text));
    found.copied().ok_or_else(|| format!("'{text}' is none of {}", allowed.join(", ")))
}

#[cfg(test)]
mod tests {
    use model::Json;

    use super::*;

    #[test]
    fn the_name_of_a_file_is_the_id_and_says_when_a_trigger_runs() {
        let trigger = script(AttachedKind::Trigger, "a.b.pre.create", "x").ok().unwrap();
        assert_eq!(trigger.id, "a.b");
        assert_eq!(trigger.content.get("triggerType").and_then(Json::as_str), Some("Pre"));
        let operation = trigger.content.get("triggerOperation").and_then(Json::as_str);
        assert_eq!(operation, Some("Create"));
        assert!(script(AttachedKind::Trigger, "a.create", "x").is_err());
        assert!(script(AttachedKind::Trigger, "a.pre.read", "x").is_err());
        let procedure = script(AttachedKind::StoredProcedure, "bulk.delete", "x").ok().unwrap();
        assert_eq!(procedure.id, "bulk.delete");
    }
}
