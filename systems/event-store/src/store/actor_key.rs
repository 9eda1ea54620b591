//! Keys of actors: `{service id}/{entity}`.
//!
//! Owns finding the tenant in a key. Actors make their stores of it when they start.

use crate::service_id::{ServiceId, ServiceIdError};

/// What a key without a tenant means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorKeyMode {
    /// The default tenant, as in programs that know of none.
    Compatible,
    /// An error: nothing falls back to the default tenant.
    Strict,
}

/// A tenant and an entity of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActorKey {
    /// The tenant.
    pub service: ServiceId,
    /// The entity, which may contain the separator.
    pub entity: String,
}

impl ActorKey {
    /// A key.
    #[must_use]
    pub fn new(service: ServiceId, entity: impl Into<String>) -> Self {
        Self { service, entity: entity.into() }
    }

    /// Reads a key. The part before the first `/` or `|` is the tenant, if it is a valid id.
    ///
    /// # Errors
    /// In strict mode, if the key names no tenant.
    pub fn parse(text: &str, mode: ActorKeyMode) -> Result<Self, ServiceIdError> {
        // Other programs write `|`; we read both and write `/`.
        if let Some((prefix, entity)) = text.split_once(['/', '|'])
            && let Ok(service) = ServiceId::parse(prefix)
        {
            return Ok(Self::new(service, entity));
        }
        match mode {
            ActorKeyMode::Compatible => Ok(Self::new(ServiceId::default_tenant(), text)),
            ActorKeyMode::Strict => Err(ServiceIdError::ActorKey),
        }
    }
}

impl std::fmt::Display for ActorKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.service, self.entity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_before_the_separator_is_the_tenant() {
        for text in ["acme/Student:1", "acme|Student:1", "ACME/Student:1"] {
            let key = ActorKey::parse(text, ActorKeyMode::Strict).unwrap();
            assert_eq!(key.to_string(), "acme/Student:1");
        }
        let nested = ActorKey::parse("acme/a/b", ActorKeyMode::Strict).unwrap();
        assert_eq!(nested.entity, "a/b");
    }

    #[test]
    fn without_a_tenant_it_is_the_default_one_or_an_error() {
        for text in ["Student:1", "not valid!/x", "/x", ""] {
            let key = ActorKey::parse(text, ActorKeyMode::Compatible).unwrap();
            assert_eq!((key.service.as_str(), key.entity.as_str()), ("default", text));
            assert_eq!(ActorKey::parse(text, ActorKeyMode::Strict), Err(ServiceIdError::ActorKey));
        }
    }
}
