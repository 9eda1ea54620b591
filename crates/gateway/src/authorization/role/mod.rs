//! What callers with a token of a real issuer may do: role definitions and role assignments from the settings.
//!
//! Owns data actions, scopes and the refusal. Does not own who the caller is; see `jwt`.

mod action;
mod assignment;
mod authorize;
mod definition;

pub use assignment::RoleAssignments;
pub(crate) use authorize::{authorize, authorize_batch};
