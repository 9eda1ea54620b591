//! Responses: a value with its charge, etag, session token and activity id.
//!
//! The metadata types hold what the backend returned and are formatted only when they are printed, so that a point read
//! does not pay for text that nobody reads.

use std::fmt;

use engine::Environment;
use uuid::Uuid;

/// The response to a call.
#[derive(Clone, Debug)]
pub struct AccountResponse<T> {
    /// The result.
    pub value: T,
    /// The charge in request units; the sum for a call that sends several requests.
    pub charge: f64,
    /// The etag of the item or container; `None` for responses about several.
    pub etag: Option<EntityTag>,
    /// The writes that the caller has now seen; see [`crate::ItemReadOptions`].
    pub session_token: Option<ClientSessionToken>,
    /// Identifies the request in logs; the last one for a call that sends several requests.
    pub activity_id: ActivityId,
}

impl<T> AccountResponse<T> {
    /// Converts the value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> AccountResponse<U> {
        AccountResponse {
            value: change(self.value),
            charge: self.charge,
            etag: self.etag,
            session_token: self.session_token,
            activity_id: self.activity_id,
        }
    }
}

/// Identifies one version of an item or container. The text is opaque. Embedded accounts keep the binary form of
/// [`model::Etag`] until the text is needed; connected accounts return text.
#[derive(Clone)]
pub struct EntityTag(EtagForm);

#[derive(Clone)]
enum EtagForm {
    Embedded(model::Etag),
    Text(String),
}

impl EntityTag {
    /// An etag from its text, for example from a header.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(EtagForm::Text(text.into()))
    }

    pub(crate) fn embedded(etag: model::Etag) -> Self {
        Self(EtagForm::Embedded(etag))
    }
}

impl fmt::Display for EntityTag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            EtagForm::Embedded(etag) => etag.fmt(formatter),
            EtagForm::Text(text) => formatter.write_str(text),
        }
    }
}

impl fmt::Debug for EntityTag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "EntityTag({self})")
    }
}

/// Two etags are equal if their texts are equal.
impl PartialEq for EntityTag {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            // Without printing them. Equal binary forms have equal texts.
            (EtagForm::Embedded(one), EtagForm::Embedded(other)) => one == other,
            _ => self.to_string() == other.to_string(),
        }
    }
}

impl Eq for EntityTag {}

/// The writes of a container that a caller has seen. The text is opaque; pass it to another process to read there what
/// was written here. Tokens of the service contain more than [`model::SessionToken`] keeps, so they stay text.
#[derive(Clone)]
pub struct ClientSessionToken(SessionTokenForm);

#[derive(Clone)]
enum SessionTokenForm {
    Embedded(model::SessionToken),
    Text(String),
}

impl ClientSessionToken {
    /// A token from its text.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(SessionTokenForm::Text(text.into()))
    }

    pub(crate) fn embedded(token: model::SessionToken) -> Self {
        Self(SessionTokenForm::Embedded(token))
    }

    /// The token for the engine.
    pub(crate) fn to_embedded(&self) -> model::Result<model::SessionToken> {
        match &self.0 {
            SessionTokenForm::Embedded(token) => Ok(token.clone()),
            SessionTokenForm::Text(text) => model::SessionToken::parse(text),
        }
    }
}

impl fmt::Display for ClientSessionToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SessionTokenForm::Embedded(token) => token.fmt(formatter),
            SessionTokenForm::Text(text) => formatter.write_str(text),
        }
    }
}

impl fmt::Debug for ClientSessionToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ClientSessionToken({self})")
    }
}

/// Identifies one request in logs.
#[derive(Clone)]
pub struct ActivityId(ActivityIdForm);

#[derive(Clone)]
enum ActivityIdForm {
    Uuid(Uuid),
    #[cfg_attr(not(feature = "connect"), expect(dead_code, reason = "only an endpoint sends one"))]
    Text(String),
}

impl ActivityId {
    /// A random id, for a request without an endpoint that assigns one.
    pub(crate) fn random(environment: &Environment) -> Self {
        Self(ActivityIdForm::Uuid(Uuid::from_u64_pair(environment.random(), environment.random())))
    }

    #[cfg(feature = "connect")]
    pub(crate) fn from_text(text: impl Into<String>) -> Self {
        Self(ActivityIdForm::Text(text.into()))
    }
}

impl fmt::Display for ActivityId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ActivityIdForm::Uuid(uuid) => uuid.fmt(formatter),
            ActivityIdForm::Text(text) => formatter.write_str(text),
        }
    }
}

impl fmt::Debug for ActivityId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ActivityId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_equals_its_text() {
        let etag = model::Etag::new(1, 2, model::TimestampSeconds(3));
        assert_eq!(EntityTag::embedded(etag), EntityTag::from_text(etag.to_string()));
        assert_ne!(EntityTag::embedded(etag), EntityTag::from_text("other"));
    }
}
