//! The stages after the inputs.
//!
//! Owns what happens to a row: filter, groups, projection, order, DISTINCT and window, one file each, and their
//! sequence in `stages`. Does not own the inputs.

mod stages;

mod cost;
mod distinct;
mod filter;
mod group;
mod order;
mod project;
mod ranking;
mod sort;
mod window;

pub(super) use cost::NodeCount;
pub(super) use stages::{Stages, StagesState};
