//! The scripts of a container: stored procedures, triggers and user-defined functions, as a schema declares them.
//!
//! Owns the values with their rules, and the trait by which a plan reads and writes them. Does not own running them,
//! nor any account: the client libraries have no scripts, so that whoever applies a schema says how they are reached.

use std::fmt;

use async_trait::async_trait;
use client::DatabaseId;
use model::{ContainerId, ValidationError};

/// When a trigger runs, in the words of the service.
pub(super) const TRIGGER_TYPES: &[&str] = &["Pre", "Post"];
/// With which operations a trigger runs, in the words of the service.
pub(super) const TRIGGER_OPERATIONS: &[&str] =
    &["All", "Create", "Replace", "Upsert", "Update", "Delete"];

/// One script of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptSchema {
    kind: ScriptSchemaKind,
    id: String,
    body: String,
}

/// What a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptSchemaKind {
    /// A stored procedure.
    Procedure,
    /// A trigger.
    Trigger {
        /// `Pre` or `Post`.
        trigger_type: &'static str,
        /// `All`, `Create`, `Replace`, `Upsert`, `Update` or `Delete`.
        operation: &'static str,
    },
    /// A user-defined function.
    Function,
}

/// The scripts of the containers of an account.
#[async_trait]
pub trait ScriptStore: Send + Sync {
    /// The scripts of a container, of all kinds.
    ///
    /// # Errors
    /// Why they could not be read.
    async fn list(
        &self,
        database: &DatabaseId,
        container: &ContainerId,
    ) -> Result<Vec<ScriptSchema>, ScriptStoreError>;

    /// Creates or replaces a script.
    ///
    /// # Errors
    /// Why it was not written.
    async fn put(
        &self,
        database: &DatabaseId,
        container: &ContainerId,
        script: &ScriptSchema,
    ) -> Result<(), ScriptStoreError>;
}

/// Why scripts were not read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptStoreError {
    message: String,
}

impl ScriptSchema {
    /// A script.
    ///
    /// # Errors
    /// If the id or the text is invalid.
    pub fn new(kind: ScriptSchemaKind, id: &str, body: &str) -> Result<Self, ValidationError> {
        const ID_CHARS_MAX: usize = 255;
        let is_id = !id.is_empty()
            && id.chars().count() <= ID_CHARS_MAX
            && !id.contains(['/', '\\', '?', '#']);
        if !is_id {
            return Err(ValidationError::new(format!(
                "The id '{id}' of a {kind} has 1 to {ID_CHARS_MAX} characters and none of / \\ ? #."
            )));
        }
        if body.trim().is_empty() {
            return Err(ValidationError::new(format!(
                "The {kind} '{id}' has no text; give it a function."
            )));
        }
        Ok(Self { kind, id: id.to_owned(), body: body.to_owned() })
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> ScriptSchemaKind {
        self.kind
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its text.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Whether another script takes the place of this one: scripts of different kinds may have the same id.
    #[must_use]
    pub fn is_same_resource(&self, other: &Self) -> bool {
        self.id == other.id && self.kind.to_string() == other.kind.to_string()
    }
}

impl ScriptSchemaKind {
    /// A trigger; upper and lower case do not matter.
    ///
    /// # Errors
    /// If the service knows no such type or operation.
    pub fn trigger(trigger_type: &str, operation: &str) -> Result<Self, ValidationError> {
        Ok(Self::Trigger {
            trigger_type: one_of("type", trigger_type, TRIGGER_TYPES)?,
            operation: one_of("operation", operation, TRIGGER_OPERATIONS)?,
        })
    }
}

fn one_of(
    what: &str,
    given: &str,
    allowed: &[&'static str],
) -> Result<&'static str, ValidationError> {
    let found = allowed.iter().find(|name| name.eq_ignore_ascii_case(given));
    found.copied().ok_or_else(|| {
        ValidationError::new(format!(
            "The {what} '{given}' of a trigger is none of {}.",
            allowed.join(", ")
        ))
    })
}

impl fmt::Display for ScriptSchemaKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Procedure => "procedure",
            Self::Trigger { .. } => "trigger",
            Self::Function => "function",
        })
    }
}

impl ScriptStoreError {
    /// An error with a text for the user.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for ScriptStoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ScriptStoreError {}
