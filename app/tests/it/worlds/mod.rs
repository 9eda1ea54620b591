//! `planisphere worlds`.

mod commands;
mod serve;
