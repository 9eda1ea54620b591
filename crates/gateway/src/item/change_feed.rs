//! The change feed on the wire.
//!
//! Owns mode, start and scope as headers say them. The etag of an answer, also of "not modified", is where to go on.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use hyper::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use model::TimestampSeconds;

use super::change_text;
use crate::exchange::{Envelope, Failure, Outcome, Reply, Request, header, parse_http_date};
use crate::resource::partition_key_range::feed_range;

pub(crate) async fn read(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    let mode = mode(request)?;
    let operation = ReadChangeFeed {
        container: address.link.clone(),
        feed_range: feed_range(engine, request, address).await?,
        mode,
        start: start(request)?,
        items_max: request.items_max()?,
    };
    let outcome = engine.read_change_feed(operation).await?;
    let page = outcome.value;
    let reply = if page.changes.is_empty() && !page.more {
        Reply::empty(StatusCode::NOT_MODIFIED)
    } else {
        let definition = engine.partition_key_definition(&address.link)?;
        let mut envelope = Envelope::new(Some(&address.rid), "Documents", 1024);
        for change in &page.changes {
            envelope.push(&match mode {
                ChangeFeedMode::LatestVersion => change_text::latest(change),
                ChangeFeedMode::AllVersionsAndDeletes => change_text::full(change, &definition),
            });
        }
        let count = envelope.count();
        Reply::ok(envelope.into_text()).with(header::ITEM_COUNT, count)
    };
    Ok(reply
        .etag(format_args!("\"{}\"", page.continuation))
        .charge(outcome.charge)
        .explained_as_whole(engine, request, "readChangeFeed", outcome.charge)
        .session(outcome.session_token.as_ref())
        .owner(address))
}

fn mode(request: &Request) -> Outcome<ChangeFeedMode> {
    let asked = request.header(&header::A_IM).unwrap_or_default();
    match asked.to_ascii_lowercase().as_str() {
        "incremental feed" => Ok(ChangeFeedMode::LatestVersion),
        "full-fidelity feed" => Ok(ChangeFeedMode::AllVersionsAndDeletes),
        _ => Err(Failure::bad_request(format!(
            "The header A-IM is '{asked}'. Use 'Incremental Feed' or 'Full-Fidelity Feed'."
        ))),
    }
}

fn start(request: &Request) -> Outcome<ChangeFeedStart> {
    if let Some(etag) = request.header(&IF_NONE_MATCH) {
        return Ok(match etag.trim_matches('"') {
            "*" => ChangeFeedStart::Now,
            token => ChangeFeedStart::Continuation(token.to_owned()),
        });
    }
    let Some(text) = request.header(&IF_MODIFIED_SINCE) else {
        return Ok(ChangeFeedStart::Beginning);
    };
    let second = parse_http_date(text).ok_or_else(|| {
        Failure::bad_request(format!(
            "The header If-Modified-Since is '{text}'. Send a date such as 'Mon, 16 Nov 2026 00:01:20 GMT'."
        ))
    })?;
    Ok(ChangeFeedStart::Time(TimestampSeconds(second)))
}
