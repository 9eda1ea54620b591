//! Signatures by the account key.
//!
//! Owns the payload that is signed, the window of dates and the refusals. Signatures are compared in constant time.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, DATE};

use super::header::Authorization;
use super::principal::Principal;
use super::signed_link::SignedLink;
use super::{bearer, resource_token};
use crate::exchange::{Failure, Outcome, Request, header, parse_http_date};
use crate::gateway::Gateway;
use crate::route::Path;

/// Refuses a request whose caller may not make it.
pub(crate) async fn authorize(
    gateway: &Gateway,
    request: &Request,
    path: &Path,
) -> Outcome<Principal> {
    let text = request.header(&AUTHORIZATION).filter(|text| !text.is_empty()).ok_or_else(|| {
        unauthorized(
            "Required Header authorization is missing. Ensure a valid Authorization token is passed.",
        )
    })?;
    match Authorization::parse(text) {
        Some(Authorization::MasterKey(signature)) => {
            check_signature(gateway, request, path, &signature)?;
        }
        Some(Authorization::ResourceToken(token)) => {
            resource_token::authorize(gateway, request, path, &token).await?;
        }
        Some(Authorization::Bearer(token)) => {
            return bearer::authorize(gateway, request, path, &token).await;
        }
        None => {
            return Err(unauthorized(
                "The input authorization token has an unknown form. Expected type=master, type=resource or type=aad, \
                 with ver and sig.",
            ));
        }
    }
    Ok(Principal::Allowed)
}

fn check_signature(
    gateway: &Gateway,
    request: &Request,
    path: &Path,
    signature: &str,
) -> Outcome<()> {
    let ours = request.header(&header::DATE);
    let date = ours.or_else(|| request.header(&DATE)).ok_or_else(|| {
        unauthorized("Required Header x-ms-date is missing. Sign the request with its date.")
    })?;
    let signed = SignedLink::of(path);
    let verb = request.method.as_str().to_lowercase();
    let lower_date = date.to_lowercase();
    let dates = match ours {
        Some(_) => format!("{lower_date}\n\n"),
        None => format!("\n{lower_date}\n"),
    };
    let payload = |link: &str| format!("{verb}\n{}\n{link}\n{dates}", signed.resource_type);
    let decoded = STANDARD.decode(signature).unwrap_or_default();
    let key = &gateway.settings().key;
    if !signed.links.iter().any(|link| key.verify(payload(link).as_bytes(), &decoded)) {
        let expected =
            payload(signed.links.first().map_or("", String::as_str)).replace('\n', "\\n");
        return Err(unauthorized(format!(
            "The input authorization token can't serve the request. The wrong key is being used or the expected \
             payload is not built as per the protocol. For more info: https://aka.ms/cosmosdb-tsg-unauthorized. \
             Server used the following payload to sign: '{expected}'"
        )));
    }
    check_date(gateway, date)
}

fn check_date(gateway: &Gateway, date: &str) -> Outcome<()> {
    let Some(skew_max) = gateway.settings().clock_skew_max_seconds else { return Ok(()) };
    let now = gateway.engine().environment().now().seconds().0;
    let is_near = parse_http_date(date).is_some_and(|signed| signed.abs_diff(now) <= skew_max);
    if is_near {
        return Ok(());
    }
    Err(Failure::forbidden(format!(
        "The authorization token is not valid at the current time. Please create another token and retry (token start \
         time: {date}, current time: {}).",
        crate::exchange::http_date(now)
    )))
}

fn unauthorized(message: impl Into<String>) -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, message)
}
