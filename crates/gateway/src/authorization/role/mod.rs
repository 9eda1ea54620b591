//! What callers with a bearer token may do: role definitions and role assignments from the settings.
//!
//! Owns data actions, scopes and the check. Does not own who the caller is; see `issuer`.

mod action;
mod assignment;
mod authorize;
mod definition;

pub use assignment::RoleAssignments;
pub(super) use authorize::{authorize, authorize_batch};
