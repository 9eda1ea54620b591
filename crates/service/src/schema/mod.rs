//! Schema as code: the databases and containers an application declares, in a file or in its program.
//!
//! Owns the declaration, the files it is read from (our own TOML, Terraform, templates), the plan that compares it with
//! a place, its application and its export. Does not own items: `copy` moves them when a container cannot be changed.
//!
//! ```text
//! file ─► read ─► Schema ─► plan(account) ─► Plan ─► apply(account)
//!                   │ ▲                        └─► text, is_same
//!                   ▼ └── Schema::read(account)
//!                 export
//! ```

mod declaration;
mod export;
mod origin;
mod plan;
mod read;

pub use declaration::{ContainerSchema, DatabaseSchema, Schema};
pub use export::{Exported, Form};
pub use origin::{Mistake, Mistakes, Origin};
pub use plan::{Change, Effect, Obstacle, Plan, SchemaError, Step, Unlisted, WayOut};
pub use read::{Found, ReadOptions, Reading};
