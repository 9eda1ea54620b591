//! Bearer tokens in the form of the emulators: claims in a JWT whose third part is the account key itself.
//!
//! Owns reading such a token. Tokens of a real issuer are refused by name.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::StatusCode;
use model::Json;

use crate::exchange::{Failure, Outcome};
use crate::gateway::Gateway;

/// The name of the key in the head of such tokens.
const EMULATOR_KEY_ID: &str = "CosmosEmulatorPrimaryMaster";

pub(crate) fn authorize(gateway: &Gateway, token: &str) -> Outcome<()> {
    let unauthorized = |message: &str| Failure::new(StatusCode::UNAUTHORIZED, message);
    let mut parts = token.split('.');
    let (Some(head), Some(claims), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(unauthorized("The bearer token is not a JWT of three parts."));
    };
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok();
    let json = |part: &str| decoded(part).and_then(|bytes| Json::parse(&bytes).ok());
    let head =
        json(head).ok_or_else(|| unauthorized("The head of the bearer token is not JSON."))?;
    if head.get("kid").and_then(Json::as_str) != Some(EMULATOR_KEY_ID) {
        return Err(unauthorized(
            "Only bearer tokens in the form of the emulators are accepted: no issuer is configured here.",
        ));
    }
    let signature = decoded(signature).unwrap_or_default();
    let key = &gateway.settings().key;
    // Signatures of both texts are compared, which takes the same time wherever they differ.
    if !key.verify(key.text().as_bytes(), &key.sign(&signature)) {
        return Err(unauthorized("The bearer token is signed with another key."));
    }
    let claims = json(claims);
    let claims =
        claims.ok_or_else(|| unauthorized("The claims of the bearer token are not JSON."))?;
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
