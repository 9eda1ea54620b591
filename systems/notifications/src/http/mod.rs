//! The HTTP interface: routes to actions and questions.
//!
//! Owns paths, status codes and the form of bodies. Does not own any rule: every route asks the system, for the user
//! the caller is. A user's route never takes a user id, so there is none to get wrong.

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
