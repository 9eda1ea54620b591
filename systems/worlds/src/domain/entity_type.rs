//! The types of entities and which may be nested in which.
//!
//! Owns the built-in types (`data/entity_types.json`) and those of a file of the operator, which has the same format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entity::WORLD_TYPE;

const BUILT_IN: &str = include_str!("../../data/entity_types.json");
/// The group whose entities hold only each other.
const CLOSED_GROUP: &str = "Other";

/// One type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntityTypeDefinition {
    /// The name, such as `Continent`.
    pub name: String,
    /// The folder that pages show it in; no entity has it as its type.
    pub group: String,
    /// A sign for lists.
    pub icon: String,
    /// What it may be nested in: a type, `@` and a group, or `*` for everything but the group `Other`.
    pub allowed_parents: Vec<String>,
    /// What happens to an entity under another parent.
    #[serde(default)]
    pub severity: RuleSeverity,
}

/// What happens to an entity under a parent that is not allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleSeverity {
    /// It is refused.
    #[default]
    Error,
    /// It is stored, and the response has a warning.
    Warn,
}

/// All types.
#[derive(Clone, Debug)]
pub struct EntityTypeCatalog {
    types: BTreeMap<String, EntityTypeDefinition>,
}

/// Why an entity may not be nested in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParentViolation {
    pub(crate) severity: RuleSeverity,
    pub(crate) message: String,
}

impl EntityTypeCatalog {
    /// The built-in types, and more from the text of a file.
    ///
    /// # Errors
    /// A sentence that names what is wrong with the text.
    pub fn load(more: Option<&str>) -> Result<Self, String> {
        let built_in: Vec<EntityTypeDefinition> = serde_json::from_str(BUILT_IN)
            .expect("the built-in types are a valid file; a test loads them");
        let more: Vec<EntityTypeDefinition> = match more {
            Some(text) => serde_json::from_str(text)
                .map_err(|error| format!("the file of entity types is not valid: {error}"))?,
            None => Vec::new(),
        };
        let mut types = BTreeMap::new();
        for one in built_in.into_iter().chain(more) {
            if one.name.is_empty() || one.group.is_empty() {
                return Err("an entity type needs a name and a group".to_owned());
            }
            if let Some(twice) = types.insert(one.name.clone(), one) {
                return Err(format!("the entity type '{}' is defined twice", twice.name));
            }
        }
        Ok(Self { types })
    }

    /// All types, by name.
    pub fn iter(&self) -> impl Iterator<Item = &EntityTypeDefinition> {
        self.types.values()
    }

    /// The type of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&EntityTypeDefinition> {
        self.types.get(name)
    }

    /// Whether entities of this type can be created in a world.
    #[must_use]
    pub fn is_creatable(&self, name: &str) -> bool {
        name != WORLD_TYPE && self.types.contains_key(name)
    }

    /// What is wrong with a parent for an entity of this type; none if it is allowed.
    pub(crate) fn parent_violation(&self, child: &str, parent: &str) -> Option<ParentViolation> {
        let definition = self.types.get(child)?;
        // A type that was taken out of the configuration belongs to no group.
        let group = self.types.get(parent).map_or("", |one| one.group.as_str());
        let allows = |token: &String| match token.strip_prefix('@') {
            Some(wanted) => wanted == group,
            None => token == parent || (token == "*" && group != CLOSED_GROUP),
        };
        if definition.allowed_parents.iter().any(allows) {
            return None;
        }
        let allowed = definition.allowed_parents.join(", ");
        let message = format!(
            "{child} may not be nested in {parent}; allowed are {}",
            if allowed.is_empty() { "no parents" } else { &allowed }
        );
        Some(ParentViolation { severity: definition.severity, message })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(child: &str, parent: &str) -> bool {
        let catalog = EntityTypeCatalog::load(None).unwrap();
        assert!(catalog.get(child).is_some() && catalog.get(parent).is_some(), "{child} {parent}");
        catalog.parent_violation(child, parent).is_none()
    }

    #[test]
    fn there_are_68_types_and_every_rule_names_one() {
        let catalog = EntityTypeCatalog::load(None).unwrap();
        assert_eq!(catalog.iter().count(), 68);
        let groups: std::collections::BTreeSet<_> =
            catalog.iter().map(|one| one.group.as_str()).collect();
        assert_eq!(groups.len(), 11);
        for token in catalog.iter().flat_map(|one| &one.allowed_parents) {
            let known = match token.strip_prefix('@') {
                Some(group) => groups.contains(group),
                None => token == "*" || catalog.get(token).is_some(),
            };
            assert!(known, "{token}");
        }
    }

    #[test]
    fn the_rules_are_those_of_the_table() {
        for (child, parent) in [
            ("Continent", "World"),
            ("Monster", "Continent"),
            ("Country", "Region"),
            ("Region", "Country"),
            ("City", "Island"),
            ("Room", "Dungeon"),
            ("Map", "River"),
            ("Character", "Faction"),
            ("Battle", "Era"),
            ("Weapon", "Monster"),
            ("Scene", "Session"),
            ("Secret", "Weapon"),
            ("Note", "Note"),
            ("Image", "Country"),
        ] {
            assert!(allowed(child, parent), "{child} in {parent}");
        }
        for (child, parent) in [
            ("World", "World"),
            ("Continent", "Monster"),
            ("Country", "City"),
            ("City", "River"),
            ("Organization", "Faction"),
            ("Campaign", "Scenario"),
            ("Monster", "Note"),
            ("Secret", "Note"),
            ("Weapon", "River"),
        ] {
            assert!(!allowed(child, parent), "{child} in {parent}");
        }
    }

    #[test]
    fn a_file_adds_types_and_none_twice() {
        let more = r#"[{"name":"Planet","group":"Locations","icon":"🪐","allowedParents":["World"],
            "severity":"warn"}]"#;
        let catalog = EntityTypeCatalog::load(Some(more)).unwrap();
        assert!(catalog.is_creatable("Planet") && !catalog.is_creatable("World"));
        let violation = catalog.parent_violation("Planet", "City").unwrap();
        assert_eq!(violation.severity, RuleSeverity::Warn);
        // Rules that name a group hold for added types.
        assert!(catalog.parent_violation("Monster", "Planet").is_none());
        let twice =
            r#"[{"name":"City","group":"Locations","icon":"x","allowedParents":["World"]}]"#;
        assert!(EntityTypeCatalog::load(Some(twice)).unwrap_err().contains("'City'"));
        assert!(EntityTypeCatalog::load(Some("{}")).is_err());
    }
}
