//! `planisphere cost` as a user runs it.

mod item;
mod guide;
mod refit;
