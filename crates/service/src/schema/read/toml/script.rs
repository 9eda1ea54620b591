//! Tables of scripts below a container.
//!
//! Owns their names. A text is in the table itself or in a file beside the schema file.

use super::file::{TomlReader, TomlTable};
use crate::schema::location::{SchemaError, SourceFile};
use crate::schema::read::builder::{Located, ScriptDraft, ScriptDraftKind};

const OF_SCRIPT: &[&str] = &["body", "file"];
const OF_TRIGGER: &[&str] = &["body", "file", "type", "operation"];

impl TomlReader<'_> {
    /// The scripts of a container: tables by kind and id.
    pub(super) fn scripts(
        &mut self,
        database: &Located<String>,
        container: &Located<String>,
        table: &TomlTable<'_>,
    ) {
        for kind in ["procedure", "trigger", "function"] {
            for (name, inner) in self.tables(table, kind) {
                let id = Located::new(name.get_ref().to_string(), self.location(name));
                let drafted = self.script(kind, &id, inner).map(|(kind, body)| {
                    let (database, container) = (database.clone(), container.clone());
                    ScriptDraft { database, container, id, body, kind }
                });
                if let Some(draft) = self.builder.keep(drafted) {
                    self.builder.scripts.push(draft);
                }
            }
        }
    }

    fn script(
        &mut self,
        kind: &str,
        id: &Located<String>,
        table: &TomlTable<'_>,
    ) -> Result<(ScriptDraftKind, Located<String>), SchemaError> {
        let thing = format!("{kind} '{}'", id.value);
        let known = if kind == "trigger" { OF_TRIGGER } else { OF_SCRIPT };
        self.reject_unknown(&thing, table, known);
        let text = |name: &str| {
            let Some(value) = table.get(name) else { return Ok(None) };
            let location = self.location(value);
            match value.get_ref().as_str() {
                Some(text) => Ok(Some(Located::new(text.to_owned(), location))),
                None => Err(SchemaError::at(&location, format!("{thing}: {name} is a text"))),
            }
        };
        let required = |name: &str| {
            text(name)?.ok_or_else(|| {
                SchemaError::at(&id.location, format!("{thing} has no '{name}'; give it one"))
            })
        };
        let body = match (text("body")?, text("file")?) {
            (Some(body), None) => body,
            (None, Some(file)) => {
                let loaded = SourceFile::load(&self.source.beside(&file.value));
                let loaded =
                    loaded.map_err(|error| SchemaError::at(&file.location, error.message))?;
                Located::new(loaded.text, file.location)
            }
            _ => {
                let message = format!("{thing} has one of 'body' and 'file'");
                return Err(SchemaError::at(&id.location, message));
            }
        };
        let kind = match kind {
            "procedure" => ScriptDraftKind::Procedure,
            "function" => ScriptDraftKind::Function,
            _ => ScriptDraftKind::Trigger {
                trigger_type: required("type")?,
                operation: required("operation")?,
            },
        };
        Ok((kind, body))
    }
}
