//! Functions as a whole: the registry, the examples, and calls with anything.

mod behaviour;
mod call;
mod examples;
mod names;
mod totality;

pub(super) use call::{evaluate, evaluate_on};
