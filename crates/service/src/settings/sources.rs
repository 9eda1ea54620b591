//! Where settings are given: a file, the environment, flags.
//!
//! Owns reading each of them into names and raw values, in the order in which the later wins. Does not own what the
//! names mean; see `load.rs`.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::mistake::Mistake;

/// Settings as given, before they are typed.
#[derive(Debug, Default)]
pub struct Sources {
    pub(crate) given: Vec<Given>,
    pub(crate) mistakes: Vec<Mistake>,
}

/// One name with its raw value.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) path: Vec<String>,
    pub(crate) raw: Raw,
    pub(crate) source: Source,
}

/// A value before its type is known.
#[derive(Clone, Debug)]
pub(crate) enum Raw {
    /// From the environment or a flag: everything is text there.
    Text(String),
    /// From a file.
    Typed(Value),
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody gave it.
    Default,
    /// A file, by its name.
    File(String),
    /// A variable, by its name.
    Environment(String),
    /// A flag.
    Flag,
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(name) => write!(formatter, "file {name}"),
            Self::Environment(name) => write!(formatter, "environment {name}"),
            Self::Flag => formatter.write_str("flag --set"),
        }
    }
}

impl Sources {
    /// Nothing given: all defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A TOML file, which must exist.
    #[must_use]
    pub fn file(mut self, file: &Path) -> Self {
        let name = file.display().to_string();
        match std::fs::read_to_string(file) {
            Ok(text) => self.text(&name, &text),
            Err(error) => {
                let why = error.to_string();
                self.refuse(&name, &why, "give a file that can be read, or none");
                self
            }
        }
    }

    /// A TOML file, if there is one.
    #[must_use]
    pub fn file_if_present(self, file: &Path) -> Self {
        match std::fs::metadata(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => self,
            _ => self.file(file),
        }
    }

    /// The text of a TOML file. Tables nest; `"A:B" = 1` is the same as `B = 1` below `[A]`.
    #[must_use]
    pub fn text(mut self, name: &str, text: &str) -> Self {
        match text.parse::<toml::Table>() {
            Ok(table) => {
                let source = Source::File(name.to_owned());
                self.flatten(&mut Vec::new(), toml::Value::Table(table), &source);
            }
            Err(error) => {
                let why = error.to_string().trim_end().replace('\n', "\n    ");
                self.refuse(name, &why, "the file must be TOML");
            }
        }
        self
    }

    /// The environment: `Section__Name`, `List__0`. Variables of nobody's section are passed over.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let given = variables.into_iter().map(|(name, value)| Given {
            path: name.split("__").map(str::to_owned).collect(),
            raw: Raw::Text(value),
            source: Source::Environment(name),
        });
        self.given.extend(given);
        self
    }

    /// Flags: the texts `Section:Name=value` given with `--set`.
    #[must_use]
    pub fn flags(mut self, assignments: &[String]) -> Self {
        for assignment in assignments {
            match assignment.split_once('=') {
                Some((name, value)) => self.given.push(Given {
                    path: name.trim().split(':').map(str::to_owned).collect(),
                    raw: Raw::Text(value.to_owned()),
                    source: Source::Flag,
                }),
                // It may be a secret without its name, so it is not repeated.
                None => self.mistakes.push(Mistake {
                    name: "--set".to_owned(),
                    value: "a text without '='".to_owned(),
                    source: Source::Flag,
                    allowed: "write --set Section:Name=value".to_owned(),
                }),
            }
        }
        self
    }

    fn flatten(&mut self, path: &mut Vec<String>, value: toml::Value, source: &Source) {
        let children: Vec<(String, toml::Value)> = match value {
            toml::Value::Table(table) => table.into_iter().collect(),
            toml::Value::Array(list) if !list.is_empty() => {
                list.into_iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
            }
            leaf => {
                let raw = Raw::Typed(typed(leaf));
                return self.given.push(Given { path: path.clone(), raw, source: source.clone() });
            }
        };
        for (name, value) in children {
            let depth = path.len();
            path.extend(name.split(':').map(str::to_owned));
            self.flatten(path, value, source);
            path.truncate(depth);
        }
    }

    fn refuse(&mut self, file: &str, why: &str, allowed: &str) {
        self.mistakes.push(Mistake {
            name: "the file".to_owned(),
            value: file.to_owned(),
            source: Source::File(file.to_owned()),
            allowed: format!("{allowed}; {why}"),
        });
    }
}

/// A value of TOML as JSON; times become text.
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
