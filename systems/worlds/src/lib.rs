//! The world builder of seed 002: nested entities of game worlds, a materialised tree, trash with undo.
//!
//! Owns its stored types, its containers and its rules. Does not own HTTP plumbing, identity or jobs (`service`), nor
//! any storage (`client`).
//!
//! ```text
//! action ─► WorldEntity ─► reaction (change feed) ─► WorldMetadata (tree) ─► question/hierarchy, streams
//!                               └──► DeleteOperation ─► reaction/operations (cascades, restores, paths)
//! ```

mod access;
mod action;
mod containers;
mod domain;
mod error;
mod http;
mod page;
mod question;
mod reaction;
mod sample;
mod settings;
mod transfer;
mod worlds;

pub use access::WorldAccess;
pub use action::{RestoreOptions, RestoredParent, WorldChange, WorldDraft, WrittenEntity};
pub use containers::WorldContainers;
pub use domain::{
    BranchItem, DeletedWorldEntity, DeletionReason, EntityChange, EntityCounter, EntityDraft,
    EntityId, EntityTypeCatalog, EntityTypeDefinition, HierarchyNode, OperationStatus,
    PropertyDefinition, PropertySchema, RuleSeverity, StoredTree, TreeEntity, UtcTimestamp,
    WorldEntity, WorldId, WorldMetadata, WorldOperation, WorldOperationKind, WorldTree, WorldUser,
    shipped_schemas,
};
pub use error::{Error, ErrorKind, FieldMistake, Result};
pub use page::WORLD_PAGES;
pub use question::{
    ChildCount, EntityFilter, EntityOrder, EntityPage, EntitySort, TrashPage, TrashedEntity,
    WorldHierarchy, WorldPage,
};
pub use reaction::{ReconcileReport, TrashSweep, TreeWorker, WorkerRound};
pub use sample::{DEMO_WORLD_NAME, create_demo_world};
pub use service::charge::{ChargeMeter, ChargedValue};
pub use settings::{
    AccessControlSettings, AccessMode, ChangeFeedSettings, DeletionSettings, HierarchyMode,
    HierarchySettings, WorldLimitSettings, WorldsSettings,
};
pub use transfer::{ImportMistake, ImportMistakeKind, ImportPlan, ImportedWorld, WorldArchive};
pub use worlds::Worlds;
