//! Authorization: who is calling, and whether the caller may make the request. Checked before anything else.
//!
//! Owns the account key, the authorization header in all its forms, resource tokens, and the roles of callers with a
//! bearer token. Does not own the resources themselves.

mod account_key;
mod authorization_header;
mod authorize;
mod bearer;
mod context;
mod issuer;
mod request_authorization;
mod resource_token;
mod role;
mod sign;
mod signature;
mod signed_link;

pub use account_key::{AccountKey, EMULATOR_KEY};
pub(crate) use authorize::authorize;
pub(crate) use context::AuthorizationContext;
pub use issuer::Issuer;
#[cfg(feature = "issuer")]
pub use jwks::KeySource;
pub(crate) use request_authorization::RequestAuthorization;
pub(crate) use resource_token::{PermissionAddress, ResourceGrant};
pub use role::RoleAssignments;
pub use sign::sign_request;
