//! Composite indexes: several paths, each with a direction, in one index.
//!
//! Owns the definition and its limits. Does not own which queries a composite index serves.

use super::index_path::print;
use super::{IndexPath, IndexSegment};
use crate::limits::{COMPOSITE_INDEX_PROPERTIES_MAX, COMPOSITE_INDEXES_MAX};
use crate::resource::members::{Members, described};
use crate::{Invalid, Json, Object, Result};

/// Paths indexed together, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompositeIndex {
    paths: Vec<CompositePath>,
}

/// One path of a composite index; the ending `/?` is implied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompositePath {
    text: String,
    segments: Vec<IndexSegment>,
    order: SortOrder,
}

/// Direction of a path in a composite index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortOrder {
    /// Least first.
    #[default]
    Ascending,
    /// Greatest first.
    Descending,
}

impl CompositeIndex {
    /// Checks the paths: 2 to 8, none twice.
    ///
    /// # Errors
    /// When there are too few, too many or the same one twice.
    pub fn new(paths: Vec<CompositePath>) -> Result<Self> {
        if !(2..=COMPOSITE_INDEX_PROPERTIES_MAX).contains(&paths.len()) {
            return Err(Invalid::new(format!(
                "The composite index has {} paths; it needs 2 to {COMPOSITE_INDEX_PROPERTIES_MAX}.",
                paths.len()
            )));
        }
        for (place, path) in paths.iter().enumerate() {
            if paths
                .iter()
                .take(place)
                .any(|known| known.segments == path.segments)
            {
                return Err(Invalid::new(format!(
                    "The composite index names the path '{}' twice; name it once.",
                    path.text
                )));
            }
        }
        Ok(Self { paths })
    }

    /// The paths in order.
    #[must_use]
    pub fn paths(&self) -> &[CompositePath] {
        &self.paths
    }

    pub(super) fn list_from_json(elements: &[Json]) -> Result<Vec<Self>> {
        if elements.len() > COMPOSITE_INDEXES_MAX {
            return Err(Invalid::new(format!(
                "The indexing policy has {} composite indexes; at most {COMPOSITE_INDEXES_MAX} are \
                 allowed.",
                elements.len()
            )));
        }
        elements.iter().map(Self::from_json).collect()
    }

    fn from_json(json: &Json) -> Result<Self> {
        let elements = json.as_array().ok_or_else(|| {
            Invalid::new(format!(
                "A composite index must be an array of paths, not {}.",
                described(json)
            ))
        })?;
        Self::new(
            elements
                .iter()
                .map(CompositePath::from_json)
                .collect::<Result<_>>()?,
        )
    }

    pub(super) fn to_json(&self) -> Json {
        Json::Array(self.paths.iter().map(CompositePath::to_json).collect())
    }
}

impl CompositePath {
    /// A path of these steps.
    #[must_use]
    pub fn new(segments: Vec<IndexSegment>, order: SortOrder) -> Self {
        Self {
            text: print(&segments),
            segments,
            order,
        }
    }

    /// Parses a path without ending: `/name`, `/a/b`, `/distributors/[]/name`.
    ///
    /// # Errors
    /// When the text is not such a path; wildcards are refused.
    pub fn parse(text: &str, order: SortOrder) -> Result<Self> {
        let segments = IndexPath::parse_segments(text)?;
        Ok(Self {
            text: text.to_owned(),
            segments,
            order,
        })
    }

    /// The steps from the outside in; never empty.
    #[must_use]
    pub fn segments(&self) -> &[IndexSegment] {
        &self.segments
    }

    /// The direction.
    #[must_use]
    pub fn order(&self) -> SortOrder {
        self.order
    }

    /// The path as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn from_json(json: &Json) -> Result<Self> {
        let members = Members::of("composite path", json)?;
        let order = match members.text("order")?.unwrap_or("ascending") {
            text if text.eq_ignore_ascii_case("ascending") => SortOrder::Ascending,
            text if text.eq_ignore_ascii_case("descending") => SortOrder::Descending,
            text => {
                return Err(Invalid::new(format!(
                    "The order '{text}' of a composite path is unknown; use ascending or \
                     descending."
                )));
            }
        };
        Self::parse(members.required_text("path")?, order)
    }

    fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("path", self.text.as_str());
        object.insert(
            "order",
            match self.order {
                SortOrder::Ascending => "ascending",
                SortOrder::Descending => "descending",
            },
        );
        Json::Object(object)
    }
}
