//! Bearer tokens: those of the emulators, whose third part is the account key itself, and those of a real issuer.
//!
//! Owns telling them apart and reading the first. A token of an issuer is accepted only when one is configured.

use hyper::StatusCode;
use model::Json;

use super::jwt::Token;
use super::principal::Principal;
use super::role;
use crate::exchange::{Failure, Outcome, Request};
use crate::gateway::Gateway;
use crate::route::Path;

/// The name of the key in the head of the tokens of the emulators.
const EMULATOR_KEY_ID: &str = "CosmosEmulatorPrimaryMaster";

pub(crate) async fn authorize(
    gateway: &Gateway,
    request: &Request,
    path: &Path<'_>,
    text: &str,
) -> Outcome<Principal> {
    let token = Token::parse(text)?;
    if token.head("kid") == Some(EMULATOR_KEY_ID) {
        return emulator(gateway, &token).map(|()| Principal::Allowed);
    }
    let settings = gateway.settings();
    let issuer = settings.issuer.as_ref().ok_or_else(|| {
        unauthorized(
            "Only bearer tokens in the form of the emulators are accepted: no issuer is configured here.",
        )
    })?;
    let caller = issuer.authenticate(gateway.engine().environment(), &token).await?;
    role::authorize(gateway.engine(), &settings.role_assignments, &caller, request, path)?;
    Ok(Principal::Known(caller))
}

fn emulator(gateway: &Gateway, token: &Token<'_>) -> Outcome<()> {
    let key = &gateway.settings().key;
    // Signatures of both texts are compared, which takes the same time wherever they differ.
    if !key.verify(key.text().as_bytes(), &key.sign(&token.signature)) {
        return Err(unauthorized("The bearer token is signed with another key."));
    }
    let claims = token.claims()?;
    let now = i64::try_from(gateway.engine().environment().now().seconds().0).unwrap_or(i64::MAX);
    let second = |name: &str| claims.get(name).and_then(Json::as_i64);
    if second("exp").is_none_or(|expires| expires <= now) {
        return Err(unauthorized("The bearer token has expired.").sub_status(5006));
    }
    let skew = gateway.settings().clock_skew_max_seconds.unwrap_or(u64::MAX);
    let soon = now.saturating_add(i64::try_from(skew).unwrap_or(i64::MAX));
    if second("nbf").is_some_and(|begins| begins > soon) {
        return Err(unauthorized("The bearer token is not valid yet."));
    }
    Ok(())
}

fn unauthorized(message: &str) -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, message)
}
