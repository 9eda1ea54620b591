//! Resource tokens: a permission as a text that is signed by the account key.
//!
//! Owns the text, what it grants and checking it. Does not own storing permissions. A token never grants more than its
//! permission grants now.

mod authorize;
mod grant;
mod permission;
mod token;

pub(super) use authorize::authorize;
pub(crate) use grant::ResourceGrant;
pub(crate) use token::PermissionAddress;
#[cfg(any(test, fuzzing))]
pub(crate) use token::check_signed;
