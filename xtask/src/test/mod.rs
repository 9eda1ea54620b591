//! Running everything with one command: the list of steps, the runner, and the sum of the test results.

mod runner;
mod steps;
mod tally;
mod tools;

pub(crate) use runner::{cargo, run_steps};
pub(crate) use steps::{ATTACKS, FULL, STEPS, TestStep, TestTier};
