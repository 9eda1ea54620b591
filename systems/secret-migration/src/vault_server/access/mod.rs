//! Who may do what: policies by path, tokens, AppRoles.

mod approle;
mod document;
mod policy;
mod routes;
mod token;

pub(super) use policy::VaultCapability;
pub(super) use token::Granted;
