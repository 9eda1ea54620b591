//! Signatures by the account key.
//!
//! Owns the payload that is signed, the accepted dates and the error messages. Signatures are compared in constant
//! time.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::StatusCode;
use hyper::header::DATE;

use super::authorization_header::SignatureText;
use super::context::AuthorizationContext;
use super::signed_link::SignedLink;
use crate::http::{ApiError, ApiRequest, ApiResult, format_http_date, header, parse_http_date};
use crate::route::RequestPath;

/// More than the length of a signature (HMAC-SHA-256), in bytes.
const SIGNATURE_BYTES_MAX: usize = 64;

/// Refuses a request that is not signed by the account key, or not recently.
pub(super) fn check_signature(
    context: &AuthorizationContext<'_>,
    request: &ApiRequest,
    path: &RequestPath<'_>,
    signature: &SignatureText,
) -> ApiResult<()> {
    // Browsers forbid scripts to set `date`, so the service has a header of its own, which takes precedence.
    let own_date = request.header(&header::DATE);
    let date = own_date.or_else(|| request.header(&DATE)).ok_or_else(|| {
        unauthorized("Required Header x-ms-date is missing. Sign the request with its date.")
    })?;
    let signed = SignedLink::from_path(path);
    let payload = |link: &str| payload(request, &signed, link, (date, own_date.is_some()));
    let mut buffer = [0; SIGNATURE_BYTES_MAX];
    // Text that is not base64, or too long, becomes an empty signature, which matches nothing.
    let decoded = STANDARD.decode_slice(signature.as_bytes(), &mut buffer).ok();
    let decoded = decoded.and_then(|length| buffer.get(..length)).unwrap_or_default();
    let is_signed = |link: &str| context.key.verify(payload(link).as_bytes(), decoded);
    // The other forms are built and checked only if the usual one does not match: nearly all clients sign that one.
    let is_valid =
        is_signed(&signed.decoded) || signed.alternatives().iter().any(|link| is_signed(link));
    if !is_valid {
        // The service prints it too. It contains nothing that the client did not send.
        let expected = payload(&signed.decoded).replace('\n', "\\n");
        return Err(unauthorized(format!(
            "The input authorization token can't serve the request. The wrong key is being used or the expected \
             payload is not built as per the protocol. For more info: https://aka.ms/cosmosdb-tsg-unauthorized. \
             Server used the following payload to sign: '{expected}'"
        )));
    }
    // After the signature: an unsigned date proves nothing, and its error would reveal our clock to a stranger.
    check_date(context, date)
}

/// The text that is signed, five lines: method, resource type, resource link, `x-ms-date`, `date`. One of the two dates
/// is empty. All but the link are in lower case.
fn payload(
    request: &ApiRequest,
    signed: &SignedLink<'_>,
    link: &str,
    (date, is_own_date): (&str, bool),
) -> String {
    let (method, resource_type) = (request.method.as_str(), signed.resource_type.as_ref());
    let lengths = method.len() + resource_type.len() + link.len() + date.len();
    let mut text = String::with_capacity(lengths + 5);
    text.push_str(method);
    text.make_ascii_lowercase();
    for part in ["\n", resource_type, "\n", link, "\n", if is_own_date { "" } else { "\n" }] {
        text.push_str(part);
    }
    let start = text.len();
    text.push_str(date);
    if let Some(date) = text.get_mut(start..) {
        date.make_ascii_lowercase();
    }
    text.push_str(if is_own_date { "\n\n" } else { "\n" });
    text
}

fn check_date(context: &AuthorizationContext<'_>, date: &str) -> ApiResult<()> {
    // A recorded request must not be accepted for ever.
    let Some(skew_max) = context.clock_skew_max_seconds else { return Ok(()) };
    let now = context.now_seconds();
    let is_near = parse_http_date(date).is_some_and(|signed| signed.abs_diff(now) <= skew_max);
    if is_near {
        return Ok(());
    }
    Err(ApiError::forbidden(format!(
        "The authorization token is not valid at the current time. Please create another token and retry (token start \
         time: {date}, current time: {}).",
        format_http_date(now)
    )))
}

fn unauthorized(message: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::UNAUTHORIZED, message)
}
