//! What every answer carries: the value, its charge, etag, session token and activity id.
//!
//! Owns these as types that cost nothing until they are printed. Does not own how a place makes them.

use std::fmt;

use engine::Environment;

/// The answer to a call.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What was asked for.
    pub value: T,
    /// What it cost in request units. Of a call made of several requests: their sum.
    pub charge: f64,
    /// The etag of the item or container; none for answers about several.
    pub etag: Option<Etag>,
    /// What the caller has now seen; see [`crate::ReadOptions`].
    pub session_token: Option<SessionToken>,
    /// Names the request in logs. Of several requests: the last.
    pub activity_id: ActivityId,
}

impl<T> Answer<T> {
    /// The same answer with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        Answer {
            value: change(self.value),
            charge: self.charge,
            etag: self.etag,
            session_token: self.session_token,
            activity_id: self.activity_id,
        }
    }
}

/// Names one state of an item or container. Its text is opaque.
#[derive(Clone)]
pub struct Etag(EtagForm);

#[derive(Clone)]
enum EtagForm {
    Embedded(model::Etag),
    Text(String),
}

impl Etag {
    /// The etag with this text, for example one that came in a header.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(EtagForm::Text(text.into()))
    }

    pub(crate) fn embedded(etag: model::Etag) -> Self {
        Self(EtagForm::Embedded(etag))
    }
}

impl fmt::Display for Etag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            EtagForm::Embedded(etag) => etag.fmt(formatter),
            EtagForm::Text(text) => formatter.write_str(text),
        }
    }
}

impl fmt::Debug for Etag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Etag({self})")
    }
}

/// Two etags are equal when their texts are.
impl PartialEq for Etag {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (EtagForm::Embedded(one), EtagForm::Embedded(other)) => one == other,
            _ => self.to_string() == other.to_string(),
        }
    }
}

impl Eq for Etag {}

/// What a caller has seen of a container. Its text is opaque; pass it to another process to read there what was
/// written here.
#[derive(Clone)]
pub struct SessionToken(TokenForm);

#[derive(Clone)]
enum TokenForm {
    Embedded(model::SessionToken),
    Text(String),
}

impl SessionToken {
    /// The token with this text.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(TokenForm::Text(text.into()))
    }

    pub(crate) fn embedded(token: model::SessionToken) -> Self {
        Self(TokenForm::Embedded(token))
    }

    /// The token as the engine takes it.
    pub(crate) fn to_embedded(&self) -> model::Result<model::SessionToken> {
        match &self.0 {
            TokenForm::Embedded(token) => Ok(token.clone()),
            TokenForm::Text(text) => model::SessionToken::parse(text),
        }
    }
}

impl fmt::Display for SessionToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            TokenForm::Embedded(token) => token.fmt(formatter),
            TokenForm::Text(text) => formatter.write_str(text),
        }
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SessionToken({self})")
    }
}

/// Names one request in logs.
#[derive(Clone)]
pub struct ActivityId(ActivityForm);

#[derive(Clone)]
enum ActivityForm {
    Number(u128),
    #[cfg_attr(not(feature = "connect"), expect(dead_code, reason = "only an endpoint sends one"))]
    Text(String),
}

impl ActivityId {
    /// A new one, for a request that no endpoint names.
    pub(crate) fn random(environment: &Environment) -> Self {
        let random = || u128::from(environment.random());
        Self::from_number((random() << 64) | random())
    }

    fn from_number(number: u128) -> Self {
        Self(ActivityForm::Number(number))
    }

    #[cfg(feature = "connect")]
    pub(crate) fn from_text(text: impl Into<String>) -> Self {
        Self(ActivityForm::Text(text.into()))
    }
}

/// Groups of hexadecimal digits, 8-4-4-4-12.
impl fmt::Display for ActivityId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ActivityForm::Number(number) => write!(
                formatter,
                "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                number >> 96,
                (number >> 80) & 0xFFFF,
                (number >> 64) & 0xFFFF,
                (number >> 48) & 0xFFFF,
                number & 0xFFFF_FFFF_FFFF
            ),
            ActivityForm::Text(text) => formatter.write_str(text),
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
    fn an_activity_id_has_five_groups() {
        let id = ActivityId::from_number(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(id.to_string(), "01234567-89ab-cdef-0123-456789abcdef");
        assert_eq!(ActivityId::from_number(7).to_string(), "00000000-0000-0000-0000-000000000007");
    }

    #[test]
    fn an_etag_equals_its_text() {
        let etag = model::Etag::new(1, 2, model::TimestampSeconds(3));
        assert_eq!(Etag::embedded(etag), Etag::from_text(etag.to_string()));
        assert_ne!(Etag::embedded(etag), Etag::from_text("other"));
    }
}
