//! The changes that make an account match a schema.
//!
//! `build` compares account and schema, `compare` one container, `scripts` the scripts of containers, `effect` counts
//! the affected items, `text` prints the plan, `apply` executes it.

mod apply;
mod build;
mod compare;
mod effect;
mod scripts;
mod step;
mod text;

pub use apply::SchemaApplyError;
pub use step::{
    Effect, Obstacle, PropertyChange, SchemaPlan, SchemaStep, UndeclaredResource, Workaround,
};
