//! Random operations on the engine and on a naive database, compared after each step.
//!
//! A failure is shrunk and printed as the list of steps. `MODEL_CASES=500 cargo test -p engine model` looks longer.

mod follower;
mod naive;
mod run;
mod step;
