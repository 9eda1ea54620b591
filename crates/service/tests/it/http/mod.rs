//! The HTTP server.

mod document;
mod events;
mod limits;
mod problems;
mod serving;
mod slow;
mod state;
