//! The caller of a request, once authorized, and what can be decided about it only when the body is here.
//!
//! Owns the kinds of callers. Does not own how each is recognised.

use super::jwt::Claims;
use super::role;
use crate::exchange::{Outcome, Request};
use crate::gateway::Gateway;
use crate::route::Path;

/// Who is calling.
#[derive(Debug)]
pub(crate) enum Principal {
    /// Somebody with the account key, or with a resource token that allows the request.
    Allowed,
    /// Somebody an issuer knows, with roles.
    Known(Claims),
}

impl Principal {
    /// Refuses a request for what is in its body.
    pub(crate) fn authorize_body(
        &self,
        gateway: &Gateway,
        request: &Request,
        path: &Path<'_>,
    ) -> Outcome<()> {
        match self {
            Self::Allowed => Ok(()),
            Self::Known(caller) => {
                let roles = &gateway.settings().role_assignments;
                role::authorize_batch(gateway.engine(), roles, caller, request, path)
            }
        }
    }
}
