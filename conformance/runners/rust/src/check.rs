//! Judges what was seen against what must be seen.

use azure_data_cosmos::CosmosError;
use serde_json::Value;

use crate::outcome::{Seen, Stop};

/// Judges an operation that failed.
pub(crate) fn check_failure(verb: &str, see: &Value, error: &CosmosError) -> Result<(), Stop> {
    let Some(wanted) = see.get("fails") else {
        return Err(Stop::Unseen(format!("{verb} failed: {error}")));
    };
    if !error.is_from_wire() {
        return Err(Stop::Unsupported(format!("this library refuses it before asking: {error}")));
    }
    let status = u16::from(error.status());
    if wanted["status"] != status {
        return Err(Stop::Unseen(format!("{verb} failed with {error}, not {wanted}")));
    }
    let substatus = error.status().sub_status().map_or(0, u16::from);
    if wanted.get("substatus").is_some_and(|wanted| *wanted != substatus) {
        return Err(Stop::Unseen(format!(
            "{verb} failed with sub-status {substatus}, not {wanted}"
        )));
    }
    // The body is the part of the error that the server wrote.
    let body = error.response().and_then(|response| response.body().clone().single().ok());
    let text = body.map_or(String::new(), |body| String::from_utf8_lossy(&body).into_owned());
    if wanted["message"].as_str().is_some_and(|wanted| !text.contains(wanted)) {
        return Err(Stop::Unseen(format!("{verb} failed with {text}, not {wanted}")));
    }
    Ok(())
}

/// Judges an operation that succeeded.
pub(crate) fn check(verb: &str, see: &Value, seen: &Seen) -> Result<(), String> {
    for (name, wanted) in see.as_object().into_iter().flatten() {
        if !holds(name, wanted, seen) {
            let rows = Value::from(seen.rows.clone()).to_string();
            let rows: String = rows.chars().take(300).collect();
            return Err(format!(
                "{verb}: `{name}` should be {wanted}; saw status {:?}, value {:?}, rows {rows}, results {:?}",
                seen.status, seen.value, seen.results
            ));
        }
    }
    Ok(())
}

fn holds(name: &str, wanted: &Value, seen: &Seen) -> bool {
    let value = seen.value.clone().unwrap_or_default();
    match name {
        "status" => seen.status.is_none_or(|status| *wanted == status),
        "body" => covers(&value, wanted),
        "absent" => all(wanted).iter().filter_map(Value::as_str).all(|name| {
            value.get(name).is_none() && seen.rows.iter().all(|row| row.get(name).is_none())
        }),
        "empty" | "unchanged" => seen.value.is_none(),
        "throughput" | "autoscale" => same(&value[name], wanted),
        "charge" => seen.charge.is_some_and(|charge| charge > 0.0),
        "etag" => seen.etag.is_some(),
        "session" => seen.session.is_some(),
        "query_metrics" => seen.query_metrics,
        "index_metrics" => seen.index_metrics,
        "rows" => {
            let (found, wanted) = (plain(&seen.rows), plain(all(wanted)));
            same(&Value::Array(found), &Value::Array(wanted))
        }
        "set" => same_set(plain(&seen.rows), plain(all(wanted))),
        "has" => {
            let wanted = all(wanted);
            let mut pairs = seen.rows.iter().zip(wanted);
            seen.rows.len() == wanted.len() && pairs.all(|(found, wanted)| covers(found, wanted))
        }
        "includes" => seen.rows.iter().any(|row| row["id"] == *wanted),
        "count" => *wanted == seen.rows.len(),
        "pages_min" => wanted.as_u64().is_some_and(|least| seen.pages as u64 >= least),
        "results" => same(&Value::Array(seen.results.clone()), wanted),
        _ => false,
    }
}

fn all(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Rows without the members of the service.
fn plain(rows: &[Value]) -> Vec<Value> {
    let mut rows = rows.to_vec();
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        row.retain(|name, _| !name.starts_with('_'));
    }
    rows
}

fn same_set(found: Vec<Value>, mut wanted: Vec<Value>) -> bool {
    for row in found {
        let Some(place) = wanted.iter().position(|one| same(&row, one)) else { return false };
        wanted.remove(place);
    }
    wanted.is_empty()
}

/// Equal, where 1 and 1.0 are one number.
fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Number(found), Value::Number(wanted)) => {
            found == wanted || found.as_f64() == wanted.as_f64()
        }
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| same(a, b))
        }
        (Value::Object(found), Value::Object(members)) => {
            found.len() == members.len() && covers(&Value::Object(found.clone()), wanted)
        }
        _ => found == wanted,
    }
}

fn covers(found: &Value, wanted: &Value) -> bool {
    let Some(members) = wanted.as_object() else { return same(found, wanted) };
    let inside = |name: &String, value| found.get(name).is_some_and(|has| covers(has, value));
    found.is_object() && members.iter().all(|(name, value)| inside(name, value))
}
