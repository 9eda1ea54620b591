//! Tests of all functions: the registry, the examples, and calls with arbitrary arguments.

mod behaviour;
mod call;
mod examples;
mod names;
mod totality;

pub(super) use call::{evaluate, evaluate_on};
