//! Who is calling: signatures checked, before anything else is looked at.
//!
//! Owns the account key, the authorization header in all its forms, and the roles of callers that an issuer knows. Does
//! not own what a resource allows.

mod account_key;
mod bearer;
mod header;
mod jwt;
mod master_key;
mod principal;
mod resource_token;
mod role;
mod sign;
mod signed_link;

pub use account_key::{AccountKey, EMULATOR_KEY};
pub use jwt::{Issuer, KeySource};
pub(crate) use master_key::authorize;
pub(crate) use principal::Principal;
pub(crate) use resource_token::{Granted, PermissionAddress, ResourceGrant};
pub use role::RoleAssignments;
pub use sign::signed_get;
