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

/// More than the bytes of any signature.
const SIGNATURE_BYTES_MAX: usize = 64;

/// Refuses a request whose caller may not make it.
pub(crate) async fn authorize(
    gateway: &Gateway,
    request: &Request,
    path: &Path<'_>,
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
            Box::pin(resource_token::authorize(gateway, request, path, &token)).await?;
        }
        Some(Authorization::Bearer(token)) => {
            return Box::pin(bearer::authorize(gateway, request, path, &token)).await;
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
    path: &Path<'_>,
    signature: &str,
) -> Outcome<()> {
    let ours = request.header(&header::DATE);
    let date = ours.or_else(|| request.header(&DATE)).ok_or_else(|| {
        unauthorized("Required Header x-ms-date is missing. Sign the request with its date.")
    })?;
    let signed = SignedLink::of(path);
    let payload = |link: &str| payload(request, &signed, link, (date, ours.is_some()));
    let mut room = [0; SIGNATURE_BYTES_MAX];
    // What is no base64, or too much of it, is no signature of anything.
    let decoded = STANDARD.decode_slice(signature, &mut room).ok();
    let decoded = decoded.and_then(|length| room.get(..length)).unwrap_or_default();
    let is_signed = |link: &str| gateway.settings().key.verify(payload(link).as_bytes(), decoded);
    let is_right = is_signed(&signed.usual) || signed.others().iter().any(|link| is_signed(link));
    if !is_right {
        let expected = payload(&signed.usual).replace('\n', "\\n");
        return Err(unauthorized(format!(
            "The input authorization token can't serve the request. The wrong key is being used or the expected \
             payload is not built as per the protocol. For more info: https://aka.ms/cosmosdb-tsg-unauthorized. \
             Server used the following payload to sign: '{expected}'"
        )));
    }
    check_date(gateway, date)
}

/// The text that is signed: verb, type, link and the one date there is, ours or that of HTTP.
fn payload(
    request: &Request,
    signed: &SignedLink<'_>,
    link: &str,
    (date, is_ours): (&str, bool),
) -> String {
    let (verb, resource_type) = (request.method.as_str(), signed.resource_type.as_ref());
    let lengths = verb.len() + resource_type.len() + link.len() + date.len();
    let mut text = String::with_capacity(lengths + 5);
    text.push_str(verb);
    text.make_ascii_lowercase();
    for part in ["\n", resource_type, "\n", link, "\n", if is_ours { "" } else { "\n" }] {
        text.push_str(part);
    }
    let start = text.len();
    text.push_str(date);
    if let Some(date) = text.get_mut(start..) {
        date.make_ascii_lowercase();
    }
    text.push_str(if is_ours { "\n\n" } else { "\n" });
    text
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
