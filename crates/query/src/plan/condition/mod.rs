//! Filters as conditions on paths of the item.
//!
//! Owns the translation of a filter into a tree of conditions that an index can serve. A condition may hold for more
//! items than the filter, never for fewer. Does not own policies: whether a path is indexed is decided in `access`.

mod cut;
mod set;

mod scope;

mod tree;

mod call;
mod comparison;
mod normalize;

pub use cut::{Cut, ValueKind};
pub use normalize::{filter_condition, row_condition};
pub use scope::{ItemPath, PathScope, ResolvedPath};
pub use set::{ValueRange, ValueSet};
pub use tree::{Condition, Exactness, LookupKind, PathCondition};
