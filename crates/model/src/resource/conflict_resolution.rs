//! Which of two conflicting writes wins.
//!
//! Owns the stored policy and its wire form. Does not own resolution: with one write region no conflict arises.

use super::members::Members;
use crate::{Json, Object, Result, ValidationError};

/// The path that decides the last writer when the client sets none.
const DEFAULT_PATH: &str = "/_ts";

/// How conflicting writes to one item are resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictResolutionPolicy {
    /// The write with the greater number at this path wins.
    LastWriterWins {
        /// Path of a numeric property.
        path: String,
    },
    /// A stored procedure decides; without one the conflicts are kept for the client.
    Custom {
        /// Link of the procedure, or empty.
        procedure: String,
    },
}

impl Default for ConflictResolutionPolicy {
    fn default() -> Self {
        Self::LastWriterWins { path: DEFAULT_PATH.to_owned() }
    }
}

impl ConflictResolutionPolicy {
    /// Parses the wire form; an absent path means the timestamp.
    pub fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("conflict resolution policy", json)?;
        let path = members.text("conflictResolutionPath")?.unwrap_or_default();
        let procedure = members.text("conflictResolutionProcedure")?.unwrap_or_default();
        match members.text("mode")?.unwrap_or("LastWriterWins") {
            mode if mode.eq_ignore_ascii_case("LastWriterWins") => {
                let path = if path.is_empty() { DEFAULT_PATH } else { path };
                if !path.starts_with('/') {
                    return Err(ValidationError::new(format!(
                        "The conflict resolution path '{path}' must start with '/', like \
                         '{DEFAULT_PATH}'."
                    )));
                }
                Ok(Self::LastWriterWins { path: path.to_owned() })
            }
            mode if mode.eq_ignore_ascii_case("Custom") => {
                Ok(Self::Custom { procedure: procedure.to_owned() })
            }
            mode => Err(ValidationError::new(format!(
                "The conflict resolution mode '{mode}' is unknown; use LastWriterWins or Custom."
            ))),
        }
    }

    /// The wire form.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let (mode, path, procedure) = match self {
            Self::LastWriterWins { path } => ("LastWriterWins", path.as_str(), ""),
            Self::Custom { procedure } => ("Custom", "", procedure.as_str()),
        };
        let mut object = Object::new();
        object.insert("mode", mode);
        // Both members are always printed, the unused one empty.
        object.insert("conflictResolutionPath", path);
        object.insert("conflictResolutionProcedure", procedure);
        Json::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_last_writer_by_timestamp() {
        assert_eq!(
            ConflictResolutionPolicy::default().to_json().to_string(),
            r#"{"mode":"LastWriterWins","conflictResolutionPath":"/_ts","conflictResolutionProcedure":""}"#
        );
    }

    #[test]
    fn both_modes_round_trip_and_others_are_refused() {
        let custom =
            ConflictResolutionPolicy::Custom { procedure: "dbs/d/colls/c/sprocs/p".into() };
        for policy in [ConflictResolutionPolicy::default(), custom] {
            assert_eq!(ConflictResolutionPolicy::from_json(&policy.to_json()), Ok(policy));
        }
        let odd = Json::parse(br#"{"mode":"FirstWriterWins"}"#).unwrap();
        assert!(ConflictResolutionPolicy::from_json(&odd).is_err());
    }
}
