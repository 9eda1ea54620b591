//! Worlds as files: export, validation, import.
//!
//! Owns the format: a folder or a zip with `world.json` and one file `entities/<localId>.json` per entity, which names
//! its parent by `parentLocalId`. Ids of the account are not part of it, so a world can be imported many times.

mod archive;
mod export;
mod import;
mod mistake;
mod plan;

pub use archive::WorldArchive;
pub use import::ImportedWorld;
pub use mistake::{ImportMistake, ImportMistakeKind};
pub use plan::ImportPlan;
