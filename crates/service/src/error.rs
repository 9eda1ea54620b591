//! The error of a system: a kind, a message, the wrong fields of an input, and the error of the account behind it.
//!
//! Owns the form that systems share. Does not own the kinds: each system has a closed list of its own
//! ([`SystemErrorKind`]) and one table from kinds to problems ([`ProblemKind`]).

use std::fmt;

use crate::problem::Problem;

/// What the caller of a system can do about an error. Every list has these kinds; a system adds its own.
pub trait SystemErrorKind: Copy + fmt::Debug + Send + Sync + 'static {
    /// The input is not valid; nothing was stored.
    const INVALID: Self;
    /// It does not exist.
    const NOT_FOUND: Self;
    /// Its state does not allow this.
    const CONFLICT: Self;
    /// The data cannot be reached now.
    const UNAVAILABLE: Self;
    /// A bug of the program, or damaged data.
    const INTERNAL: Self;

    /// The kind for an item that somebody else has changed.
    const CHANGED: Self = Self::CONFLICT;

    /// The kind of an error of the account.
    #[must_use]
    fn of_account(kind: client::ErrorKind) -> Self {
        match kind {
            client::ErrorKind::NotFound => Self::NOT_FOUND,
            client::ErrorKind::Conflict => Self::CONFLICT,
            client::ErrorKind::Precondition => Self::CHANGED,
            client::ErrorKind::Throttled { .. } | client::ErrorKind::Unavailable => {
                Self::UNAVAILABLE
            }
            client::ErrorKind::BadRequest | client::ErrorKind::TooLarge => Self::INVALID,
            client::ErrorKind::Unauthorized
            | client::ErrorKind::Unsupported
            | client::ErrorKind::Unexpected => Self::INTERNAL,
        }
    }
}

/// Kinds that HTTP can report.
pub trait ProblemKind: SystemErrorKind {
    /// The error as a problem: the one table of status codes of a system.
    fn problem(error: SystemError<Self>) -> Problem;
}

/// An error of an action or a question.
#[derive(Debug)]
pub struct SystemError<K> {
    kind: K,
    message: String,
    invalid_fields: Vec<InvalidField>,
    source: Option<Box<client::Error>>,
}

/// What is wrong with one field of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidField {
    /// The path of the field, such as `payload.targetId`.
    pub field: String,
    /// What is wrong with its value, and what is expected.
    pub message: String,
}

impl InvalidField {
    /// A wrong field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl<K: SystemErrorKind> SystemError<K> {
    /// An error of a kind.
    pub fn new(kind: K, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), invalid_fields: Vec::new(), source: None }
    }

    /// An input that is not valid as a whole.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(K::INVALID, message)
    }

    /// An input with one wrong field. The message is that of the field.
    pub fn invalid_field(field: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let invalid_fields = vec![InvalidField::new(field, message.clone())];
        Self { invalid_fields, ..Self::new(K::INVALID, message) }
    }

    /// An input with these wrong fields.
    #[must_use]
    pub fn with_invalid_fields(subject: &str, invalid_fields: Vec<InvalidField>) -> Self {
        let fields: Vec<&str> = invalid_fields.iter().map(|error| error.field.as_str()).collect();
        let message = format!("{subject}: wrong {}", fields.join(", "));
        Self { invalid_fields, ..Self::new(K::INVALID, message) }
    }

    /// Something that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(K::NOT_FOUND, message)
    }

    /// A state that does not allow this.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(K::CONFLICT, message)
    }

    /// Something that cannot be reached now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(K::UNAVAILABLE, message)
    }

    /// A bug of the program, or damaged data.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(K::INTERNAL, message)
    }

    /// An error of the account, with the name of the operation that met it.
    #[must_use]
    pub fn in_operation(operation: &str, error: client::Error) -> Self {
        let error = Self::from(error);
        Self { message: format!("{operation}: {}", error.message), ..error }
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> K {
        self.kind
    }

    /// The message, without the wrong fields.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The first wrong field of the input.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.invalid_fields.first().map(|error| error.field.as_str())
    }

    /// The wrong fields of the input.
    #[must_use]
    pub fn invalid_fields(&self) -> &[InvalidField] {
        &self.invalid_fields
    }

    /// The error of the account.
    #[must_use]
    pub fn data_error(&self) -> Option<&client::Error> {
        self.source.as_deref()
    }
}

impl<K> fmt::Display for SystemError<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        // The message of a single field is already the message of the error.
        let more = self.invalid_fields.iter().filter(|error| error.message != self.message);
        for error in more {
            write!(formatter, "; {}: {}", error.field, error.message)?;
        }
        Ok(())
    }
}

impl<K: fmt::Debug> std::error::Error for SystemError<K> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

impl<K: SystemErrorKind> From<client::Error> for SystemError<K> {
    fn from(error: client::Error) -> Self {
        let message = error.to_string();
        let kind = K::of_account(error.kind());
        Self { source: Some(Box::new(error)), ..Self::new(kind, message) }
    }
}

impl<K: ProblemKind> From<SystemError<K>> for Problem {
    fn from(error: SystemError<K>) -> Self {
        K::problem(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Kind {
        Invalid,
        NotFound,
        Conflict,
        Unavailable,
        Internal,
    }

    impl SystemErrorKind for Kind {
        const INVALID: Self = Self::Invalid;
        const NOT_FOUND: Self = Self::NotFound;
        const CONFLICT: Self = Self::Conflict;
        const UNAVAILABLE: Self = Self::Unavailable;
        const INTERNAL: Self = Self::Internal;
    }

    type Error = SystemError<Kind>;

    #[test]
    fn the_message_of_a_single_field_is_printed_once() {
        let one = Error::invalid_field("limit", "1000 is above 100");
        assert_eq!((one.to_string().as_str(), one.field()), ("1000 is above 100", Some("limit")));
        let fields = vec![InvalidField::new("a", "is missing"), InvalidField::new("b", "is 7")];
        let two = Error::with_invalid_fields("the page", fields);
        assert_eq!(two.to_string(), "the page: wrong a, b; a: is missing; b: is 7");
        assert_eq!(two.message(), "the page: wrong a, b");
    }

    #[test]
    fn an_error_of_the_account_has_a_kind_of_the_system() {
        use client::ErrorKind::{BadRequest, Precondition, Throttled, Unauthorized};
        let kinds = [BadRequest, Precondition, Throttled { delay: None }, Unauthorized];
        let expected = [Kind::Invalid, Kind::Conflict, Kind::Unavailable, Kind::Internal];
        assert_eq!(kinds.map(Kind::of_account), expected);
    }
}
