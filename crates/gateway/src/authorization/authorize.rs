//! The entry point of authorization: chooses the check by the kind of the authorization header.
//!
//! Owns the choice. Does not own the checks.

use hyper::StatusCode;
use hyper::header::AUTHORIZATION;

use super::authorization_header::AuthorizationHeader;
use super::context::AuthorizationContext;
use super::request_authorization::RequestAuthorization;
use super::signature::check_signature;
use super::{bearer, resource_token};
use crate::http::{ApiError, ApiRequest, ApiResult};
use crate::route::RequestPath;

/// Refuses a request whose caller may not make it.
pub(crate) async fn authorize(
    context: &AuthorizationContext<'_>,
    request: &ApiRequest,
    path: &RequestPath<'_>,
) -> ApiResult<RequestAuthorization> {
    let text = request.header(&AUTHORIZATION).filter(|text| !text.is_empty()).ok_or_else(|| {
        unauthorized(
            "Required Header authorization is missing. Ensure a valid Authorization token is passed.",
        )
    })?;
    match AuthorizationHeader::parse(text) {
        Some(AuthorizationHeader::MasterKey(signature)) => {
            check_signature(context, request, path, &signature)?;
        }
        // Boxed: signatures are frequent and their check is not async, so their future should stay small.
        Some(AuthorizationHeader::ResourceToken(token)) => {
            Box::pin(resource_token::authorize(context, request, path, &token)).await?;
        }
        Some(AuthorizationHeader::Bearer(token)) => {
            return Box::pin(bearer::authorize(context, request, path, &token)).await;
        }
        None => {
            return Err(unauthorized(
                "The input authorization token has an unknown form. Expected type=master, type=resource or type=aad, \
                 with ver and sig.",
            ));
        }
    }
    Ok(RequestAuthorization::Full)
}

fn unauthorized(message: &str) -> ApiError {
    ApiError::new(StatusCode::UNAUTHORIZED, message)
}
