//! Unique keys: sets of paths whose values are unique among the items of a logical partition.
//!
//! Owns the definition, its limits and its wire form. Does not own enforcement or the index behind it.

use std::collections::HashSet;

use super::members::{Members, describe};
use crate::limits::{UNIQUE_KEY_PATHS_MAX, UNIQUE_KEYS_MAX};
use crate::{Json, Object, PropertyPath, Result, ValidationError};

/// Paths that together are unique inside a logical partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueKey {
    paths: Vec<PropertyPath>,
}

impl UniqueKey {
    /// Checks the paths: 1 to 16, none twice.
    ///
    /// # Errors
    /// When there are none, too many or the same one twice.
    pub fn new(paths: Vec<PropertyPath>) -> Result<Self> {
        if paths.is_empty() || paths.len() > UNIQUE_KEY_PATHS_MAX {
            return Err(ValidationError::new(format!(
                "A unique key has {} paths; it needs 1 to {UNIQUE_KEY_PATHS_MAX}.",
                paths.len()
            )));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = paths.iter().find(|path| !seen.insert(*path)) {
            return Err(ValidationError::new(format!(
                "A unique key names the path '{twice}' twice; name it once."
            )));
        }
        Ok(Self { paths })
    }

    /// The paths, in the order in which they were given.
    #[must_use]
    pub fn paths(&self) -> &[PropertyPath] {
        &self.paths
    }

    /// Parses the `uniqueKeyPolicy` of a container: at most 10 unique keys, none twice.
    ///
    /// # Errors
    /// When the policy is not of that shape or breaks a limit.
    pub fn list_from_json(policy: &Json) -> Result<Vec<Self>> {
        let elements = Members::new("unique key policy", policy)?.array("uniqueKeys")?;
        if elements.len() > UNIQUE_KEYS_MAX {
            return Err(ValidationError::new(format!(
                "The container has {} unique keys; at most {UNIQUE_KEYS_MAX} are allowed.",
                elements.len()
            )));
        }
        let mut list: Vec<Self> = Vec::with_capacity(elements.len());
        for element in elements {
            let unique_key = Self::from_json(element)?;
            // The same paths in another order are another key, and harmless.
            if list.contains(&unique_key) {
                return Err(ValidationError::new(format!(
                    "The unique key {} is defined twice; define it once.",
                    unique_key.to_json()
                )));
            }
            list.push(unique_key);
        }
        Ok(list)
    }

    /// The `uniqueKeyPolicy` of a container.
    #[must_use]
    pub fn list_to_json(list: &[Self]) -> Json {
        let mut policy = Object::new();
        policy.insert("uniqueKeys", list.iter().map(Self::to_json).collect::<Vec<_>>());
        Json::Object(policy)
    }

    fn from_json(json: &Json) -> Result<Self> {
        let paths = Members::new("unique key", json)?.array("paths")?;
        Self::new(paths.iter().map(parse_path).collect::<Result<_>>()?)
    }

    fn to_json(&self) -> Json {
        let paths: Vec<Json> = self.paths.iter().map(|path| path.to_string().into()).collect();
        let mut object = Object::new();
        object.insert("paths", paths);
        Json::Object(object)
    }
}

fn parse_path(json: &Json) -> Result<PropertyPath> {
    json.as_str().and_then(|text| PropertyPath::parse(text).ok()).ok_or_else(|| {
        ValidationError::new(format!(
            "Error parsing the unique key path {}. Make sure the unique key path does not contain \
             wildcards and invalid characters.",
            describe(json)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<UniqueKey>> {
        UniqueKey::list_from_json(&Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_policy_round_trips() {
        let text = r#"{"uniqueKeys":[{"paths":["/a","/b/c"]},{"paths":["/email"]}]}"#;
        assert_eq!(UniqueKey::list_to_json(&read(text).unwrap()).to_string(), text);
        assert_eq!(read("{}").unwrap(), []);
    }

    #[test]
    fn limits_and_repetitions_are_refused() {
        for text in [
            r#"{"uniqueKeys":[{"paths":[]}]}"#,
            r#"{"uniqueKeys":[{"paths":["/a","/a"]}]}"#,
            r#"{"uniqueKeys":[{"paths":["/a"]},{"paths":["/a"]}]}"#,
            r#"{"uniqueKeys":[{"paths":["/a/*"]}]}"#,
            r#"{"uniqueKeys":[{"paths":["a"]}]}"#,
            r#"{"uniqueKeys":[{"paths":[1]}]}"#,
            r#"{"uniqueKeys":[1]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let paths = |count: usize| {
            (0..count).map(|number| format!("\"/p{number}\"")).collect::<Vec<_>>().join(",")
        };
        let one = |count| format!(r#"{{"uniqueKeys":[{{"paths":[{}]}}]}}"#, paths(count));
        assert!(read(&one(16)).is_ok());
        assert!(read(&one(17)).is_err());
        let many = |count: usize| {
            let keys: Vec<_> = (0..count).map(|n| format!(r#"{{"paths":["/p{n}"]}}"#)).collect();
            format!(r#"{{"uniqueKeys":[{}]}}"#, keys.join(","))
        };
        assert!(read(&many(10)).is_ok());
        assert!(read(&many(11)).is_err());
    }
}
