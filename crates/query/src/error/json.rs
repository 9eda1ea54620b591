//! Errors as the service's inner JSON.
//!
//! Owns the order of members and the two forms: a list of errors with codes, or a list of plain messages. Does not own
//! the envelope around it.

use model::{Json, Object};

use super::{QueryError, QueryErrorCode};

/// The inner JSON of an error response. Errors with codes are listed as `{"errors":[{...}]}`; only if there are none,
/// the messages are listed as `{"Errors":["..."]}`.
///
/// ```
/// let errors = planisphere_query::parse("SELEC 1").unwrap_err();
/// assert_eq!(
///     planisphere_query::to_json(&errors).to_string(),
///     concat!(
///         r#"{"errors":[{"severity":"Error","location":{"start":0,"end":5},"code":"SC1001","#,
///         r#""message":"Syntax error, incorrect syntax near 'SELEC'."}]}"#,
///     ),
/// );
/// ```
#[must_use]
pub fn to_json(errors: &[QueryError]) -> Json {
    let coded: Vec<Json> =
        errors.iter().filter(|error| error.code != QueryErrorCode::Refusal).map(coded).collect();
    let mut body = Object::new();
    if coded.is_empty() {
        let texts = errors.iter().map(|error| Json::from(error.message.as_str())).collect();
        body.insert("Errors", Json::Array(texts));
    } else {
        body.insert("errors", Json::Array(coded));
    }
    Json::Object(body)
}

/// One error with a code; members in the service's order.
fn coded(error: &QueryError) -> Json {
    let mut members = Object::new();
    members.insert("severity", error.severity.name());
    if let Some(location) = error.location {
        let mut range = Object::new();
        range.insert("start", number(location.start));
        range.insert("end", number(location.end));
        members.insert("location", range);
    }
    match error.code {
        QueryErrorCode::Number(code) => members.insert("code", i64::from(code)),
        code => members.insert("code", code.to_string()),
    }
    members.insert("message", error.message.as_str());
    Json::Object(members)
}

fn number(offset: usize) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}
