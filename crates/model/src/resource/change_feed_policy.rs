//! How long a container keeps all versions and deletes of its items for the change feed.
//!
//! Owns the retention and its wire form. Does not own the change log.

use super::members::Members;
use crate::{Json, Object, Result, ValidationError};

/// Retention of the change feed mode "all versions and deletes".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeFeedPolicy {
    retention_minutes: u32,
}

impl ChangeFeedPolicy {
    /// A policy with this retention.
    #[must_use]
    pub fn new(retention_minutes: u32) -> Self {
        Self { retention_minutes }
    }

    /// Minutes for which changes are kept; 0 keeps none.
    #[must_use]
    pub fn retention_minutes(self) -> u64 {
        u64::from(self.retention_minutes)
    }

    /// Parses the wire form; `retentionDuration` counts minutes.
    pub fn from_json(json: &Json) -> Result<Self> {
        let minutes = Members::new("change feed policy", json)?.integer("retentionDuration")?;
        let minutes = minutes.unwrap_or_default();
        u32::try_from(minutes).map(Self::new).map_err(|_| {
            ValidationError::new(format!(
                "The retentionDuration {minutes} of the change feed policy is outside 0 to {} \
                 minutes.",
                u32::MAX
            ))
        })
    }

    /// The wire form.
    #[must_use]
    pub fn to_json(self) -> Json {
        let mut object = Object::new();
        object.insert("retentionDuration", i64::from(self.retention_minutes));
        Json::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_round_trip_and_negative_ones_are_refused() {
        let policy = ChangeFeedPolicy::new(10);
        assert_eq!(policy.to_json().to_string(), r#"{"retentionDuration":10}"#);
        assert_eq!(ChangeFeedPolicy::from_json(&policy.to_json()), Ok(policy));
        let negative = Json::parse(br#"{"retentionDuration":-1}"#).unwrap();
        assert!(ChangeFeedPolicy::from_json(&negative).is_err());
    }
}
