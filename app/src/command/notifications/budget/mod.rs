//! `notifications budget`: what every operation of the seed costs, against what it says, and what a service would need.
//!
//! Owns the seed's figures, the measuring and the arithmetic of capacity. Does not own charges (`model`, `engine`).

mod figure;
mod measure;
mod plan;
mod run;
mod system;

pub(super) use run::BudgetCommand;
