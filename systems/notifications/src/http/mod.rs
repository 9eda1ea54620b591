//! The HTTP interface: routes to actions and questions.
//!
//! Owns paths, status codes and the form of bodies. Does not own any rule: every route calls the system.
//! A route for users takes the user from the caller's token and never from the request, so no request can name another
//! user.

mod admin;
mod devices;
mod list;
mod preferences;
mod privacy;
mod problem;
mod router;
mod send;
mod stream;

pub use router::{ADMIN_ROLE, SERVICE_ROLE};
