//! Bearer tokens: those of the emulators, whose third part is the account key itself, and those of a real issuer.
//!
//! Owns distinguishing them and checking those of the emulators. A token of an issuer is accepted only if that issuer
//! is configured.

use hyper::StatusCode;
use jwks::UnverifiedToken;

use super::context::AuthorizationContext;
use super::issuer::refuse;
use super::request_authorization::RequestAuthorization;
use super::role;
use crate::http::{ApiError, ApiRequest, ApiResult};
use crate::route::RequestPath;

/// The key id in the header of the tokens of the emulators.
const EMULATOR_KEY_ID: &str = "CosmosEmulatorPrimaryMaster";

pub(super) async fn authorize(
    context: &AuthorizationContext<'_>,
    request: &ApiRequest,
    path: &RequestPath<'_>,
    text: &str,
) -> ApiResult<RequestAuthorization> {
    let token = UnverifiedToken::parse(text).map_err(|error| refuse(&error))?;
    // The key id only chooses the check. A token that claims it still has to contain the account key.
    if token.header_text("kid") == Some(EMULATOR_KEY_ID) {
        return check_emulator_token(context, &token).map(|()| RequestAuthorization::Full);
    }
    let issuer = context.issuer.ok_or_else(|| {
        unauthorized(
            "Only bearer tokens in the form of the emulators are accepted: no issuer is configured here.",
        )
    })?;
    let caller = issuer.authenticate(context.engine.environment(), &token).await?;
    role::authorize(context, &caller, request, path)?;
    Ok(RequestAuthorization::ByRole(caller))
}

fn check_emulator_token(
    context: &AuthorizationContext<'_>,
    token: &UnverifiedToken<'_>,
) -> ApiResult<()> {
    let key = context.key;
    // Compares the HMACs of both texts instead of the texts, so that the time does not depend on where they differ.
    if !key.verify(key.text().as_bytes(), &key.sign(&token.signature_bytes())) {
        return Err(unauthorized("The bearer token is signed with another key."));
    }
    let claims = token.unverified_claims().map_err(|error| refuse(&error))?;
    let now = i64::try_from(context.now_seconds()).unwrap_or(i64::MAX);
    if claims.integer("exp").is_none_or(|expires| expires <= now) {
        return Err(unauthorized("The bearer token has expired.").with_sub_status(5006));
    }
    // Without a limit on clock skew, any beginning is accepted, as any date of a signature is.
    let skew = context.clock_skew_max_seconds.unwrap_or(u64::MAX);
    let soon = now.saturating_add(i64::try_from(skew).unwrap_or(i64::MAX));
    if claims.integer("nbf").is_some_and(|begins| begins > soon) {
        return Err(unauthorized("The bearer token is not valid yet."));
    }
    Ok(())
}

fn unauthorized(message: &str) -> ApiError {
    ApiError::new(StatusCode::UNAUTHORIZED, message)
}
