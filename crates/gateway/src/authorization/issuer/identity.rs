//! Who a bearer token names, and the response to a token that is refused.
//!
//! Owns the sub-status of each error. Does not own verifying a token.

use hyper::StatusCode;
use jwks::TokenError;

use crate::http::ApiError;

/// A caller as its token names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BearerIdentity {
    /// Object id of the caller.
    pub(in crate::authorization) object_id: String,
    /// Object ids of the groups that it belongs to.
    pub(in crate::authorization) groups: Vec<String>,
}

/// The response to a token that is not accepted.
pub(in crate::authorization) fn refuse(error: &TokenError) -> ApiError {
    let sub_status = match error {
        TokenError::Malformed(_)
        | TokenError::Extensions
        | TokenError::MissingKeyId
        | TokenError::MissingExpiry => 5003,
        TokenError::AlgorithmNotAllowed(_) | TokenError::Signature { .. } => 5004,
        TokenError::NotYetValid => 5005,
        TokenError::Expired => 5006,
        TokenError::Issuer { .. } => 5007,
        TokenError::Audience { .. } => 5008,
        TokenError::KeysUnavailable(_) | TokenError::UnknownKey(_) => 5200,
    };
    unauthorized(sub_status, error)
}

pub(super) fn unauthorized(sub_status: u32, reason: impl std::fmt::Display) -> ApiError {
    let message = format!("The bearer token {reason}.");
    ApiError::new(StatusCode::UNAUTHORIZED, message).with_sub_status(sub_status)
}
