//! Resource tokens: a permission in a text that we signed ourselves.
//!
//! Owns the text and what it allows. Does not own permissions: a token never allows more than its permission does now.

mod authorize;
mod grant;

pub(crate) use authorize::authorize;
pub(crate) use grant::{Granted, PermissionAddress, ResourceGrant};
