//! The HTTP interface. Routes read requests, call actions and write responses; `problem` has the table of errors.

mod admin;
mod auth;
mod culture;
mod features;
mod health;
mod host;
mod letter_case;
mod messages;
mod presence;
mod problem;
mod rooms;
mod router;
mod webhook;

pub use router::CHAT_ADMIN_ROLE;
