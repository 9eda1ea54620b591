//! The endpoint of an account and the credential, or a connection string with both.

use std::fmt;
use std::sync::Arc;

use azure_core::credentials::{Secret, TokenCredential};
use azure_data_cosmos::{AccountEndpoint, AccountReference};

use crate::error::{Error, Result};

/// An account behind an endpoint.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// `AccountEndpoint=https://...;AccountKey=...;`
    ConnectionString(String),
    /// Endpoint and credential.
    Address {
        /// The URL of the account. Plain HTTP is accepted only for a server on this machine.
        url: String,
        /// The credential.
        credential: Credential,
    },
}

/// The credential.
#[derive(Clone)]
pub enum Credential {
    /// The account key, in base64.
    AccountKey(String),
    /// A source of bearer tokens, such as a managed identity.
    Token(Arc<dyn TokenCredential>),
}

impl Endpoint {
    pub(super) fn to_reference(&self) -> Result<AccountReference> {
        match self {
            Self::ConnectionString(text) => {
                let (url, key) = parse_connection_string(text)?;
                Ok(AccountReference::with_authentication_key(parse_url(url)?, key.to_owned()))
            }
            Self::Address { url, credential: Credential::AccountKey(key) } => {
                let key = Secret::new(key.clone());
                Ok(AccountReference::with_authentication_key(parse_url(url)?, key))
            }
            Self::Address { url, credential: Credential::Token(credential) } => {
                Ok(AccountReference::with_credential(parse_url(url)?, Arc::clone(credential)))
            }
        }
    }
}

/// The endpoint and the key of a connection string. Other parts are ignored. Errors never contain the key.
fn parse_connection_string(text: &str) -> Result<(&str, &str)> {
    let part = |name: &str| {
        // At the first `=` only: a key in base64 may end with more of them.
        let parts = text.split(';').filter_map(|part| part.trim().split_once('='));
        let mut named = parts.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value).filter(|value| !value.is_empty())
    };
    part("AccountEndpoint").zip(part("AccountKey")).ok_or_else(|| {
        Error::bad_request(
            "a connection string has the form 'AccountEndpoint=<url>;AccountKey=<key>;'; \
             a part of it is missing",
        )
    })
}

fn parse_url(url: &str) -> Result<AccountEndpoint> {
    url.parse()
        .map_err(|error| Error::bad_request(format!("the endpoint '{url}' is not a URL: {error}")))
}

impl From<&str> for Endpoint {
    fn from(connection_string: &str) -> Self {
        Self::ConnectionString(connection_string.to_owned())
    }
}

impl From<String> for Endpoint {
    fn from(connection_string: String) -> Self {
        Self::ConnectionString(connection_string)
    }
}

/// A key is never printed.
impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AccountKey(_) => "AccountKey(...)",
            Self::Token(_) => "Token(...)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_string_has_two_parts_in_any_order() {
        for text in [
            "AccountEndpoint=https://a.example/;AccountKey=a2V5==;",
            " accountkey=a2V5== ; ACCOUNTENDPOINT=https://a.example/ ; Database=d",
        ] {
            assert_eq!(parse_connection_string(text).unwrap(), ("https://a.example/", "a2V5=="));
        }
    }

    #[test]
    fn a_part_that_is_missing_is_named_without_the_key() {
        for text in ["", "AccountKey=a2V5", "AccountEndpoint=https://a/;AccountKey=;", "x"] {
            let error = parse_connection_string(text).unwrap_err();
            assert_eq!(error.kind(), crate::error::ErrorKind::BadRequest);
            assert!(!error.to_string().contains("a2V5"), "{error}");
        }
    }
}
