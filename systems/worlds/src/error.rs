//! Errors of the system, by what the caller can do about them.
//!
//! Owns the closed list of kinds and the messages. Does not own status codes (`http`).

use std::fmt;

/// Result of an action or a question.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of an action or a question.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    mistakes: Vec<FieldMistake>,
    source: Option<Box<client::Error>>,
}

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Fields of the input are not valid; nothing was stored. See [`Error::mistakes`].
    Invalid,
    /// The entity may not be nested there; nothing was stored.
    InvalidParent,
    /// It does not exist, or it is not the caller's.
    NotFound,
    /// The world has as many entities as allowed. Delete some, or split the world.
    EntityLimit,
    /// Something is nested in it. Ask for a cascade.
    HasChildren,
    /// The entity would be nested in itself.
    Cycle,
    /// The parent is deleted. Restore it too, or attach to the World.
    ParentDeleted,
    /// Its state does not allow this.
    Conflict,
    /// Somebody else changed it. Read it again.
    Changed,
    /// The caller has too many operations at work. Wait for them.
    Busy,
    /// The data cannot be reached now. Try again.
    Unavailable,
    /// A bug of this program, or damaged data.
    Internal,
}

/// What is wrong with one field of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMistake {
    /// The path of the field, such as `properties.Level`.
    pub field: String,
    /// What is wrong with its value, and what is expected.
    pub message: String,
}

impl FieldMistake {
    pub(crate) fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), mistakes: Vec::new(), source: None }
    }

    /// An input with these mistakes.
    pub(crate) fn invalid(subject: &str, mistakes: Vec<FieldMistake>) -> Self {
        let fields: Vec<&str> = mistakes.iter().map(|one| one.field.as_str()).collect();
        let message = format!("{subject}: wrong {}", fields.join(", "));
        Self { mistakes, ..Self::new(ErrorKind::Invalid, message) }
    }

    /// An input with one mistake.
    pub(crate) fn invalid_field(field: &str, message: impl Into<String>) -> Self {
        Self::invalid("the request", vec![FieldMistake::new(field, message)])
    }

    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(ErrorKind::NotFound, format!("There is no such {what}."))
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, without the mistakes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The wrong fields of the input.
    #[must_use]
    pub fn mistakes(&self) -> &[FieldMistake] {
        &self.mistakes
    }
}

/// Fails if there are mistakes.
pub(crate) fn require_no_mistakes(subject: &str, mistakes: Vec<FieldMistake>) -> Result<()> {
    if mistakes.is_empty() { Ok(()) } else { Err(Error::invalid(subject, mistakes)) }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        for one in &self.mistakes {
            write!(formatter, "; {}: {}", one.field, one.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

impl From<client::Error> for Error {
    fn from(error: client::Error) -> Self {
        let kind = match error.kind() {
            client::ErrorKind::NotFound => ErrorKind::NotFound,
            client::ErrorKind::Conflict => ErrorKind::Conflict,
            client::ErrorKind::Precondition => ErrorKind::Changed,
            client::ErrorKind::Throttled { .. } | client::ErrorKind::Unavailable => {
                ErrorKind::Unavailable
            }
            client::ErrorKind::BadRequest | client::ErrorKind::TooLarge => ErrorKind::Invalid,
            client::ErrorKind::Unauthorized
            | client::ErrorKind::Unsupported
            | client::ErrorKind::Unexpected => ErrorKind::Internal,
        };
        let message = error.to_string();
        Self { source: Some(Box::new(error)), ..Self::new(kind, message) }
    }
}
