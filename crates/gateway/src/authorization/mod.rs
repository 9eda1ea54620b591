//! Who is calling: signatures checked, before anything else is looked at.
//!
//! Owns the account key and the authorization header in all its forms. Does not own what a resource allows.

mod account_key;
mod bearer;
mod header;
mod master_key;
mod resource_token;
mod signed_link;

pub use account_key::{AccountKey, EMULATOR_KEY};
pub(crate) use master_key::authorize;
pub(crate) use resource_token::ResourceGrant;
