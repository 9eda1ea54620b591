//! `planisphere cost` as a user runs it.

mod item;
mod readme;
mod refit;
