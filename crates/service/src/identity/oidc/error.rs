//! Why a sign-in failed.
//!
//! Owns the closed list, the message for the log, and the code for the page. The page gets no text of the issuer,
//! because anybody can write one into the address of the callback.

use std::error::Error;
use std::fmt;

use jwks::{KeySourceError, TokenError};

/// Why a sign-in failed.
#[derive(Debug)]
pub(super) enum OidcError {
    /// The browser has no sign-in under way: its cookie is missing, forged or too old.
    NoAttempt,
    /// The response belongs to another attempt.
    State,
    /// The response is of another issuer.
    Issuer(String),
    /// The person or the issuer denied it.
    Denied,
    /// The issuer refused the request with this code.
    Refused(String),
    /// The response has neither a code nor an error.
    MissingCode,
    /// The description of the issuer cannot be read.
    Description(KeySourceError),
    /// The token endpoint cannot be reached, or its response is no answer.
    Exchange(String),
    /// The issuer accepts no way to authenticate that this service has.
    ClientAuthentication(Vec<String>),
    /// The ID token fails a check of every token.
    Token(TokenError),
    /// The ID token fails a check of its content.
    Claims(String),
    /// The service does not admit this person.
    NotAdmitted(String),
}

impl OidcError {
    /// The code that the page receives: one of a closed list.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::NoAttempt | Self::State => "expired",
            Self::Denied | Self::NotAdmitted(_) => "denied",
            Self::Description(_) | Self::Token(TokenError::KeysUnavailable(_)) => "unavailable",
            Self::Issuer(_)
            | Self::Refused(_)
            | Self::MissingCode
            | Self::Exchange(_)
            | Self::ClientAuthentication(_)
            | Self::Token(_)
            | Self::Claims(_) => "failed",
        }
    }
}

impl fmt::Display for OidcError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAttempt => formatter.write_str("this browser has no sign-in under way"),
            Self::State => formatter.write_str("the response belongs to another sign-in ('state')"),
            Self::Issuer(found) => write!(formatter, "the response is of the issuer {found:?}"),
            Self::Denied => formatter.write_str("the issuer denied access"),
            Self::Refused(code) => write!(formatter, "the issuer refused the request: {code:?}"),
            Self::MissingCode => {
                formatter.write_str("the response has neither a code nor an error")
            }
            Self::Description(error) => error.fmt(formatter),
            Self::Exchange(why) => write!(formatter, "the code cannot be exchanged: {why}"),
            Self::ClientAuthentication(methods) => {
                write!(formatter, "the token endpoint takes only {methods:?} from clients")
            }
            Self::Token(error) => write!(formatter, "the ID token {error}"),
            Self::Claims(why) => write!(formatter, "the ID token {why}"),
            Self::NotAdmitted(why) => write!(formatter, "the person is not admitted: {why}"),
        }
    }
}

impl Error for OidcError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Description(error) => Some(error),
            Self::Token(error) => Some(error),
            _ => None,
        }
    }
}
