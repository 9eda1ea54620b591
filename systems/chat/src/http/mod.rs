//! The HTTP interface. Routes read requests, call actions and write responses; `problem` has the table of errors.

mod admin;
mod auth;
mod culture;
mod health;
mod host;
mod messages;
mod presence;
mod problem;
mod rooms;
mod router;
mod webhook;

pub use router::CHAT_ADMIN_ROLE;
