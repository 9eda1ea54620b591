//! `planisphere event-store`.

mod commands;
mod serve;
