//! Stored types with the exact property names of the seed, and the rules that need nothing else.
//!
//! Owns ids, entities, entity types with their parent rules, property schemas, the tree. Does not own any call to the
//! account.

mod counter;
mod deleted;
mod draft;
mod entity;
mod entity_type;
mod id;
mod operation;
mod property_rule;
mod property_schema;
mod tree;
mod tree_items;
mod user;

pub use counter::EntityCounter;
pub use deleted::DeletedWorldEntity;
pub use draft::{EntityChange, EntityDraft};
pub use entity::{DeletionReason, WorldEntity};
pub use entity_type::{EntityTypeCatalog, EntityTypeDefinition, RuleSeverity};
pub use id::{EntityId, WorldId};
pub use operation::{OperationStatus, WorldOperation, WorldOperationKind};
pub use property_schema::{PropertyDefinition, PropertySchema, shipped_schemas};
pub use service::timestamp::UtcTimestamp;
pub use tree::{HierarchyNode, TreeEntity, WorldTree};
pub use tree_items::{BranchItem, StoredTree, WorldMetadata};
pub use user::WorldUser;

pub(crate) use draft::field_mistakes;
pub(crate) use entity::WORLD_TYPE;
pub(crate) use id::random_text;
pub(crate) use tree::DEPTH_MAX;
