//! The changes that make an account match a schema.
//!
//! `build` compares account and schema, `compare` one container, `effect` counts the affected items, `text` prints the
//! plan, `apply` executes it.

mod apply;
mod build;
mod compare;
mod effect;
mod step;
mod text;

pub use apply::SchemaApplyError;
pub use step::{
    Effect, Obstacle, PropertyChange, SchemaPlan, SchemaStep, UndeclaredResource, Workaround,
};
