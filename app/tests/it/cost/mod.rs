//! `planisphere cost` as a user runs it.

mod guide;
mod item;
mod refit;
