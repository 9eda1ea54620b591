//! What it takes to make a place as a schema says.
//!
//! `make` compares place and schema, `compare` one container, `effect` counts what a change does to items that are
//! there, `text` tells it, `apply` does it.

mod apply;
mod compare;
mod effect;
mod make;
mod step;
mod text;

pub use apply::SchemaError;
pub use step::{Change, Effect, Obstacle, Plan, Step, Unlisted, WayOut};
