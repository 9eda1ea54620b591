//! `planisphere copy` as a user runs it: killed, between places, refused.

mod between;
mod ground;
mod killed;
mod refused;
