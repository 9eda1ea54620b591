//! Composite indexes: several paths, each with a direction, in one index.
//!
//! Owns the definition and its limits. Does not own which queries a composite index serves.

use super::IndexPath;
use crate::limits::{COMPOSITE_INDEX_PROPERTIES_MAX, COMPOSITE_INDEXES_MAX};
use crate::resource::members::{Members, describe};
use crate::{Json, Object, Result, ValidationError};

/// Paths indexed together, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompositeIndex {
    /// The paths: 2 to 8, none twice.
    pub paths: Vec<CompositePath>,
}

/// One path of a composite index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompositePath {
    /// Path of the scalar, without the ending `/?`, which is implied.
    pub path: IndexPath,
    /// The direction.
    pub order: CompositeOrder,
}

/// Direction of a path in a composite index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompositeOrder {
    /// Lowest first.
    #[default]
    Ascending,
    /// Highest first.
    Descending,
}

impl CompositeIndex {
    /// Checks the number of composite indexes and each one.
    pub(super) fn validate_list(list: &[Self]) -> Result<()> {
        if list.len() > COMPOSITE_INDEXES_MAX {
            return Err(ValidationError::new(format!(
                "The indexing policy has {} composite indexes; at most {COMPOSITE_INDEXES_MAX} are \
                 allowed.",
                list.len()
            )));
        }
        list.iter().try_for_each(Self::validate)
    }

    fn validate(&self) -> Result<()> {
        if !(2..=COMPOSITE_INDEX_PROPERTIES_MAX).contains(&self.paths.len()) {
            let paths: Vec<String> = self.paths.iter().map(|one| one.path.to_string()).collect();
            return Err(ValidationError::new(format!(
                "The composite index on '{}' has {} paths; it needs 2 to \
                 {COMPOSITE_INDEX_PROPERTIES_MAX}.",
                paths.join(", "),
                self.paths.len()
            )));
        }
        for (index, path) in self.paths.iter().enumerate() {
            // Regardless of the direction: the second one would never decide an order. There are at most eight paths.
            if self.paths.iter().take(index).any(|known| known.path == path.path) {
                return Err(ValidationError::new(format!(
                    "A composite index names the path '{}' twice; name it once.",
                    path.path
                )));
            }
        }
        Ok(())
    }

    pub(super) fn from_json(json: &Json) -> Result<Self> {
        let elements = json.as_array().ok_or_else(|| {
            ValidationError::new(format!(
                "A composite index must be an array of paths, not {}.",
                describe(json)
            ))
        })?;
        Ok(Self { paths: elements.iter().map(CompositePath::from_json).collect::<Result<_>>()? })
    }

    pub(super) fn to_json(&self) -> Json {
        Json::Array(self.paths.iter().map(CompositePath::to_json).collect())
    }
}

impl CompositePath {
    fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("composite path", json)?;
        let order = match members.text("order")?.unwrap_or("ascending") {
            text if text.eq_ignore_ascii_case("ascending") => CompositeOrder::Ascending,
            text if text.eq_ignore_ascii_case("descending") => CompositeOrder::Descending,
            text => {
                return Err(ValidationError::new(format!(
                    "The order '{text}' of a composite path is unknown; use ascending or \
                     descending."
                )));
            }
        };
        Ok(Self { path: IndexPath::parse_implied_scalar(members.required_text("path")?)?, order })
    }

    fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("path", self.path.to_string());
        object.insert(
            "order",
            match self.order {
                CompositeOrder::Ascending => "ascending",
                CompositeOrder::Descending => "descending",
            },
        );
        Json::Object(object)
    }
}
