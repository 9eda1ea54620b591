//! The agent beside a workload: renders a file with its secrets, and signals the workload when they move.

mod render;
mod run;
mod template;

pub use run::{Agent, AgentSettings};
