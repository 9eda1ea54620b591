//! The result of authorizing the head of a request, and the check of its body.
//!
//! Owns what is still to be checked once the body has been read. Does not own how a caller is recognized.

use super::context::AuthorizationContext;
use super::issuer::BearerIdentity;
use super::role;
use crate::http::{ApiRequest, ApiResult};
use crate::route::RequestPath;

/// What the caller of a request may do.
#[derive(Debug)]
pub(crate) enum RequestAuthorization {
    /// The whole request: the caller has the account key, or a resource token that allows it.
    Full,
    /// The whole request: the caller signed in to the explorer with the account key.
    Session,
    /// What the roles of this caller allow. The operations of a batch are in its body and not checked yet.
    ByRole(BearerIdentity),
}

impl RequestAuthorization {
    /// Refuses a request because of its body.
    pub(crate) async fn authorize_body(
        &self,
        context: &AuthorizationContext<'_>,
        request: &ApiRequest,
        path: &RequestPath<'_>,
    ) -> ApiResult<()> {
        match self {
            Self::Full | Self::Session => Ok(()),
            Self::ByRole(caller) => role::authorize_batch(context, caller, request, path).await,
        }
    }
}
