//! Reads members of JSON objects; absent members are zero or empty.

use model::Json;

pub(super) fn number(json: &Json, name: &str) -> f64 {
    match json.get(name) {
        Some(Json::Number(number)) => number.as_f64(),
        _ => 0.0,
    }
}

pub(super) fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

pub(super) fn list<'a>(json: &'a Json, name: &str) -> &'a [Json] {
    json.get(name).and_then(Json::as_array).unwrap_or_default()
}

/// The sum of a member over a list.
pub(super) fn sum(list: &[Json], name: &str) -> f64 {
    list.iter().map(|object| number(object, name)).sum()
}

/// A part of a whole as a ratio; zero if the whole is zero.
pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
