//! Operations as requests, and responses as outcomes.
//!
//! Owns the container of the test, its items and the headers. Does not own connections.

use model::Json;

use super::cell::{Action, Cell, Outcome, Refusal, SLOTS, Version};
use super::http::{Answer, Connection, Reply, Request};

pub(crate) const DATABASE: &str = "attack";
pub(crate) const CONTAINER: &str = "cells";
pub(crate) const ITEMS: &str = "/dbs/attack/colls/cells/docs";
/// The logical partitions.
pub(crate) const CELLS: usize = 4;

/// What became of one operation.
pub(crate) enum Received {
    /// The outcome, and the etag of the item if there is one.
    Outcome(Outcome, Vec<(usize, u64, String)>),
    /// It may have happened.
    Lost,
    /// The server failed because of itself. A write may have happened.
    Failed(String),
    /// It has not happened.
    Nothing,
}

/// Creates the database and the container.
pub(crate) fn create_container(connection: &mut Connection) -> Result<(), String> {
    let key = r#"{"paths":["/cell"],"kind":"Hash","version":2}"#;
    let unique = r#"{"uniqueKeys":[{"paths":["/email"]}]}"#;
    let container =
        format!(r#"{{"id":"{CONTAINER}","partitionKey":{key},"uniqueKeyPolicy":{unique}}}"#);
    let database = format!(r#"{{"id":"{DATABASE}"}}"#);
    for (path, body) in [("/dbs", &database), ("/dbs/attack/colls", &container)] {
        let answer = connection.ask(&Request { verb: "POST", path, headers: &[], body })?;
        if answer.status != 201 {
            return Err(format!("{path}: {answer:?}"));
        }
    }
    Ok(())
}

/// Sends one operation. `etag` is that of the version a conditional write expects.
pub(crate) fn send(
    connection: &mut Connection,
    cell: usize,
    action: &Action,
    etag: Option<&str>,
) -> Result<Received, String> {
    let key = format!(r#"["c{cell}"]"#);
    let mut headers = vec![("x-ms-documentdb-partitionkey", key.as_str())];
    if let Some(etag) = etag {
        headers.push(("if-match", etag));
    }
    let one = |slot: &usize| format!("{ITEMS}/s{slot}");
    let (verb, path, body) = match action {
        Action::Create { slot, serial, email } => {
            ("POST", ITEMS.to_owned(), item(cell, *slot, *serial, *email))
        }
        Action::Upsert { slot, serial, email } => {
            headers.push(("x-ms-documentdb-is-upsert", "True"));
            ("POST", ITEMS.to_owned(), item(cell, *slot, *serial, *email))
        }
        Action::Replace { slot, serial, email, .. } => {
            ("PUT", one(slot), item(cell, *slot, *serial, *email))
        }
        Action::Patch { slot, serial } => ("PATCH", one(slot), patch(*serial)),
        Action::Delete { slot, .. } => ("DELETE", one(slot), String::new()),
        Action::Read { slot } => ("GET", one(slot), String::new()),
        Action::Query => {
            headers.push(("x-ms-documentdb-isquery", "True"));
            headers.push(("content-type", "application/query+json"));
            ("POST", ITEMS.to_owned(), r#"{"query":"SELECT * FROM c"}"#.to_owned())
        }
        Action::Batch(actions) => {
            headers.push(("x-ms-cosmos-is-batch-request", "True"));
            headers.push(("x-ms-cosmos-batch-atomic", "True"));
            let entries: Vec<String> = actions.iter().map(|one| entry(cell, one)).collect();
            ("POST", ITEMS.to_owned(), format!("[{}]", entries.join(",")))
        }
    };
    let request = Request { verb, path: &path, headers: &headers, body: &body };
    match connection.send(&request)? {
        Reply::Answer(answer) => receive(action, &answer),
        Reply::NotSent => Ok(Received::Nothing),
        Reply::Lost => Ok(Received::Lost),
    }
}

fn item(cell: usize, slot: usize, serial: u64, email: u8) -> String {
    // Items of different lengths, so that a mixture of two is no valid text.
    let text = "x".repeat(usize::try_from(serial * 37 % 400).unwrap());
    format!(
        r#"{{"id":"s{slot}","cell":"c{cell}","serial":{serial},"email":{email},"count":0,"text":"{text}"}}"#
    )
}

fn patch(serial: u64) -> String {
    let set = format!(r#"{{"op":"set","path":"/serial","value":{serial}}}"#);
    format!(r#"{{"operations":[{set},{{"op":"incr","path":"/count","value":1}}]}}"#)
}

/// One operation of a batch.
fn entry(cell: usize, action: &Action) -> String {
    match action {
        Action::Create { slot, serial, email } => {
            let item = item(cell, *slot, *serial, *email);
            format!(r#"{{"operationType":"Create","resourceBody":{item}}}"#)
        }
        Action::Upsert { slot, serial, email } => {
            let item = item(cell, *slot, *serial, *email);
            format!(r#"{{"operationType":"Upsert","resourceBody":{item}}}"#)
        }
        Action::Replace { slot, serial, email, .. } => {
            let item = item(cell, *slot, *serial, *email);
            format!(r#"{{"operationType":"Replace","id":"s{slot}","resourceBody":{item}}}"#)
        }
        Action::Patch { slot, serial } => {
            let patch = patch(*serial);
            format!(r#"{{"operationType":"Patch","id":"s{slot}","resourceBody":{patch}}}"#)
        }
        Action::Delete { slot, .. } => format!(r#"{{"operationType":"Delete","id":"s{slot}"}}"#),
        Action::Read { slot } => format!(r#"{{"operationType":"Read","id":"s{slot}"}}"#),
        Action::Query | Action::Batch(_) => unreachable!("no part of a batch"),
    }
}

fn receive(action: &Action, answer: &Answer) -> Result<Received, String> {
    let unexpected = || Err(format!("{action:?} was answered with {answer:?}"));
    let outcome = match (answer.status, action) {
        (503, _) => {
            return Ok(Received::Failed(answer_text(answer)));
        }
        (429 | 449 | 410, _) => return Ok(Received::Nothing),
        (200 | 207, Action::Batch(actions)) => return receive_batch(actions, answer),
        (200, Action::Query) => {
            let mut cell: Cell = [None; SLOTS];
            for document in answer.documents()? {
                let (slot, version) = version(&document)?;
                if cell[slot].replace(version).is_some() {
                    return unexpected();
                }
            }
            return Ok(Received::Outcome(Outcome::Snapshot(cell), Vec::new()));
        }
        (204, Action::Delete { .. }) => Outcome::Deleted,
        (200 | 201, _) => {
            let json = answer.json()?;
            let (slot, version) = version(&json)?;
            let etag = json.get("_etag").and_then(Json::as_str).unwrap_or_default().to_owned();
            let etags = vec![(slot, version.serial, etag)];
            return Ok(Received::Outcome(Outcome::Item(version), etags));
        }
        (status, _) => match refusal(status.into()) {
            Some(refusal) => Outcome::Refused(refusal),
            None => return unexpected(),
        },
    };
    Ok(Received::Outcome(outcome, Vec::new()))
}

fn answer_text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

fn receive_batch(actions: &[Action], answer: &Answer) -> Result<Received, String> {
    let json = answer.json()?;
    let entries = json.as_array().unwrap_or_default();
    let unexpected = || format!("{actions:?} was answered with {answer:?}");
    if entries.len() != actions.len() {
        return Err(unexpected());
    }
    let mut outcomes = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let status = entry.get("statusCode").and_then(Json::as_i64).ok_or_else(unexpected)?;
        let outcome = match status {
            424 => continue,
            204 => Outcome::Deleted,
            200 | 201 => {
                let body = entry.get("resourceBody").ok_or_else(unexpected)?;
                Outcome::Item(version(body)?.1)
            }
            503 => return Ok(Received::Failed(answer_text(answer))),
            status => {
                let refusal = refusal(status).ok_or_else(unexpected)?;
                return Ok(Received::Outcome(Outcome::RolledBack { at, refusal }, Vec::new()));
            }
        };
        outcomes.push(outcome);
    }
    if outcomes.len() != actions.len() {
        return Err(unexpected());
    }
    Ok(Received::Outcome(Outcome::Batch(outcomes), Vec::new()))
}

fn refusal(status: i64) -> Option<Refusal> {
    match status {
        404 => Some(Refusal::NotFound),
        409 => Some(Refusal::Conflict),
        412 => Some(Refusal::PreconditionFailed),
        _ => None,
    }
}

/// The slot and the version of an item that was read.
pub(crate) fn version(item: &Json) -> Result<(usize, Version), String> {
    let wrong = || format!("not an item of the test: {item}");
    let number = |name: &str| item.get(name).and_then(Json::as_i64).ok_or_else(wrong);
    let id = item.get("id").and_then(Json::as_str).and_then(|id| id.strip_prefix('s'));
    let slot = id.and_then(|id| id.parse().ok()).filter(|slot| *slot < SLOTS).ok_or_else(wrong)?;
    let version = Version {
        serial: number("serial")?.unsigned_abs(),
        email: u8::try_from(number("email")?).map_err(|_| wrong())?,
        count: number("count")?,
    };
    Ok((slot, version))
}

/// The logical partition of an item that was read.
pub(crate) fn cell_of(item: &Json) -> Result<usize, String> {
    let cell = item.get("cell").and_then(Json::as_str).and_then(|cell| cell.strip_prefix('c'));
    let cell = cell.and_then(|cell| cell.parse().ok()).filter(|cell| *cell < CELLS);
    cell.ok_or_else(|| format!("not an item of the test: {item}"))
}
