//! The sources of settings: files, the environment, flags.
//!
//! Owns reading each of them into names and raw values; a later source wins over an earlier one. Does not own what the
//! names mean; see `load.rs`.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::error::SettingError;

/// Collects settings from several sources, before they are typed.
#[derive(Debug, Default)]
pub struct SettingsBuilder {
    pub(super) entries: Vec<SettingEntry>,
    pub(super) errors: Vec<SettingError>,
}

/// One name with its raw value and source.
#[derive(Clone, Debug)]
pub(super) struct SettingEntry {
    pub(super) path: Vec<String>,
    pub(super) value: SettingValue,
    pub(super) source: SettingSource,
}

/// A value before its type is known.
#[derive(Clone, Debug)]
pub(super) enum SettingValue {
    /// From the environment or a flag, which have only text.
    Text(String),
    /// From a file.
    Typed(Value),
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// The default of the type.
    Default,
    /// A file, by its name.
    File(String),
    /// A variable, by its name.
    Environment(String),
    /// A flag.
    Flag,
}

impl fmt::Display for SettingSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(name) => write!(formatter, "file {name}"),
            Self::Environment(name) => write!(formatter, "environment {name}"),
            Self::Flag => formatter.write_str("flag --set"),
        }
    }
}

impl SettingsBuilder {
    /// No sources: all defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a TOML file, which must exist.
    #[must_use]
    pub fn file(mut self, file: &Path) -> Self {
        let name = file.display().to_string();
        match std::fs::read_to_string(file) {
            Ok(text) => self.text(&name, &text),
            Err(error) => {
                let why = error.to_string();
                self.reject_file(&name, &why, "give a file that can be read, or none");
                self
            }
        }
    }

    /// Adds a TOML file, if it exists.
    #[must_use]
    pub fn file_if_present(self, file: &Path) -> Self {
        match std::fs::metadata(file) {
            // Only an absent file is fine. One that exists but cannot be read must not be skipped: its settings would
            // silently be the defaults.
            Err(error) if error.kind() == ErrorKind::NotFound => self,
            _ => self.file(file),
        }
    }

    /// Adds the text of a TOML file. Tables nest; `"A:B" = 1` is the same as `B = 1` below `[A]`.
    #[must_use]
    pub fn text(mut self, name: &str, text: &str) -> Self {
        match text.parse::<toml::Table>() {
            Ok(table) => {
                let source = SettingSource::File(name.to_owned());
                self.flatten(&mut Vec::new(), toml::Value::Table(table), &source);
            }
            Err(error) => {
                let why = error.to_string().trim_end().replace('\n', "\n    ");
                self.reject_file(name, &why, "the file must be TOML");
            }
        }
        self
    }

    /// Adds environment variables: `Section__Name`, `List__0`. Variables of unknown sections are ignored.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let entries = variables.into_iter().map(|(name, value)| SettingEntry {
            path: name.split("__").map(str::to_owned).collect(),
            value: SettingValue::Text(value),
            source: SettingSource::Environment(name),
        });
        self.entries.extend(entries);
        self
    }

    /// Adds flags: texts `Section:Name=value`, given with `--set`.
    #[must_use]
    pub fn flags(mut self, assignments: &[String]) -> Self {
        for assignment in assignments {
            match assignment.split_once('=') {
                Some((name, value)) => self.entries.push(SettingEntry {
                    path: name.trim().split(':').map(str::to_owned).collect(),
                    value: SettingValue::Text(value.to_owned()),
                    source: SettingSource::Flag,
                }),
                // It may be a secret without its name, so the message does not repeat it.
                None => self.errors.push(SettingError {
                    name: "--set".to_owned(),
                    value: "a text without '='".to_owned(),
                    source: SettingSource::Flag,
                    allowed: "write --set Section:Name=value".to_owned(),
                }),
            }
        }
        self
    }

    fn flatten(&mut self, path: &mut Vec<String>, value: toml::Value, source: &SettingSource) {
        let children: Vec<(String, toml::Value)> = match value {
            toml::Value::Table(table) => table.into_iter().collect(),
            // Elements become numbered names, as in the environment (`List__0`), so that one of them can be
            // overridden. An empty list has no element to carry it and stays a leaf.
            toml::Value::Array(list) if !list.is_empty() => {
                list.into_iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
            }
            leaf => {
                let value = SettingValue::Typed(typed(leaf));
                return self.entries.push(SettingEntry {
                    path: path.clone(),
                    value,
                    source: source.clone(),
                });
            }
        };
        for (name, value) in children {
            let depth = path.len();
            // One quoted key may be several levels; truncating below removes all of them.
            path.extend(name.split(':').map(str::to_owned));
            self.flatten(path, value, source);
            path.truncate(depth);
        }
    }

    fn reject_file(&mut self, file: &str, why: &str, allowed: &str) {
        self.errors.push(SettingError {
            name: "the file".to_owned(),
            value: file.to_owned(),
            source: SettingSource::File(file.to_owned()),
            allowed: format!("{allowed}; {why}"),
        });
    }
}

/// A TOML value as JSON; times become text.
fn typed(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(list) => list.into_iter().map(typed).collect(),
        toml::Value::Table(table) => {
            table.into_iter().map(|(name, value)| (name, typed(value))).collect()
        }
    }
}
