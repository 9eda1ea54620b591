//! What a token says about its caller, once its signature was checked.
//!
//! Owns the checks of issuer, audience and time, and who the caller is.

use hyper::StatusCode;
use model::Json;

use crate::exchange::{Failure, Outcome};

/// How far the issuer's clock may be ahead of ours, in seconds.
const AHEAD_SECONDS_MAX: i64 = 300;

/// A caller as its issuer names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Object id of the caller.
    pub(crate) object_id: String,
    /// Object ids of the groups it belongs to.
    pub(crate) groups: Vec<String>,
}

impl Claims {
    /// Checks claims against what is expected of them.
    pub(crate) fn of(
        claims: &Json,
        issuer: &str,
        audiences: &[String],
        now_seconds: u64,
    ) -> Outcome<Self> {
        let text = |name: &str| claims.get(name).and_then(Json::as_str);
        if text("iss") != Some(issuer) {
            let found = text("iss").unwrap_or("nobody");
            return Err(refused(5007, format!("is by '{found}' and not by '{issuer}'")));
        }
        let meant = strings(claims.get("aud"));
        if !meant.iter().any(|audience| audiences.contains(audience)) {
            return Err(refused(5008, format!("is meant for {meant:?} and not for {audiences:?}")));
        }
        check_time(claims, i64::try_from(now_seconds).unwrap_or(i64::MAX))?;
        let object_id = text("oid").filter(|id| !id.is_empty());
        let object_id =
            object_id.ok_or_else(|| refused(5011, "has no claim 'oid' that names its caller"))?;
        let groups = strings(claims.get("groups"));
        Ok(Self { object_id: object_id.to_owned(), groups })
    }
}

fn check_time(claims: &Json, now: i64) -> Outcome<()> {
    // Some issuers write fractions of seconds.
    #[expect(clippy::cast_possible_truncation, reason = "seconds far beyond any life saturate")]
    let second = |name: &str| match claims.get(name) {
        Some(Json::Number(number)) => Some(number.as_f64().floor() as i64),
        _ => None,
    };
    let expires =
        second("exp").ok_or_else(|| refused(5003, "has no time 'exp' at which it ends"))?;
    if expires <= now {
        return Err(refused(5006, "has expired"));
    }
    if second("nbf").is_some_and(|begins| begins > now.saturating_add(AHEAD_SECONDS_MAX)) {
        return Err(refused(5005, "is not valid yet"));
    }
    Ok(())
}

/// One text or a list of them.
fn strings(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::String(text)) => vec![text.to_string()],
        Some(Json::Array(list)) => {
            list.iter().filter_map(Json::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn refused(sub_status: u32, why: impl std::fmt::Display) -> Failure {
    let message = format!("The bearer token {why}.");
    Failure::new(StatusCode::UNAUTHORIZED, message).sub_status(sub_status)
}
