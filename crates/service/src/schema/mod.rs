//! Schema as code: the databases and containers that an application declares, in a file or in its program.
//!
//! A container may declare its scripts; they are compared and written through a [`ScriptStore`].
//!
//! Owns the declaration, the files it is read from (our own TOML, Terraform, templates), the plan that compares it with
//! an account, applying the plan, and the export. Does not own items: `copy` moves them if a container cannot be
//! changed.
//!
//! ```text
//! file ─► read ─► Schema ─► plan(account) ─► SchemaPlan ─► apply(account)
//!                   │ ▲                        └─► text, is_up_to_date
//!                   ▼ └── Schema::read(account)
//!                 export
//! ```

mod account;
mod declaration;
mod export;
mod location;
mod plan;
mod read;
mod script;

pub use account::{AccountBackup, AccountSchema};
pub use declaration::{ContainerSchema, DatabaseSchema, Schema};
pub use export::{SchemaExport, SchemaFormat};
pub use location::{SchemaError, SchemaErrors, SourceLocation};
pub use plan::{
    Effect, Obstacle, PropertyChange, SchemaApplyError, SchemaPlan, SchemaStep, UndeclaredResource,
    Workaround,
};
pub use read::{ParsedSchema, SchemaNote, SchemaReadOptions};
pub use script::{ScriptSchema, ScriptSchemaKind, ScriptStore, ScriptStoreError};
