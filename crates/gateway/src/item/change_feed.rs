//! The change feed.
//!
//! Owns the headers for mode, start and feed range. The etag of a response, also of "not modified", is the
//! continuation.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use hyper::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use model::TimestampSeconds;

use super::change_body::{encode_all_versions, encode_latest_version};
use crate::feed_range::parse_feed_range;
use crate::http::{
    ApiError, ApiRequest, ApiResponse, ApiResult, Envelope, header, parse_http_date,
};

pub(super) async fn read_change_feed(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let mode = parse_mode(request)?;
    let operation = ReadChangeFeed {
        container: address.link.clone(),
        feed_range: parse_feed_range(engine, request, address).await?,
        mode,
        start: parse_start(request)?,
        items_max: request.items_max()?,
    };
    let result = engine.read_change_feed(operation).await?;
    let page = result.value;
    // 304 means "nothing now". With `more`, an empty page is a 200, so that the client asks again at once.
    let response = if page.changes.is_empty() && !page.more {
        ApiResponse::empty(StatusCode::NOT_MODIFIED)
    } else {
        let definition = engine.partition_key_definition(&address.link)?;
        let mut envelope = Envelope::new(Some(&address.rid), "Documents", 1024);
        for change in &page.changes {
            envelope.push(&match mode {
                ChangeFeedMode::LatestVersion => encode_latest_version(change),
                ChangeFeedMode::AllVersionsAndDeletes => encode_all_versions(change, &definition),
            });
        }
        let count = envelope.count();
        ApiResponse::ok(envelope.into_text()).with(header::ITEM_COUNT, count)
    };
    Ok(response
        .etag(format_args!("\"{}\"", page.continuation))
        .charge(result.charge)
        .single_term_explanation(engine, request, "readChangeFeed", result.charge)
        .session_token(result.session_token.as_ref())
        .container_headers(address))
}

fn parse_mode(request: &ApiRequest) -> ApiResult<ChangeFeedMode> {
    let value = request.header(&header::A_IM).unwrap_or_default();
    match value.to_ascii_lowercase().as_str() {
        "incremental feed" => Ok(ChangeFeedMode::LatestVersion),
        "full-fidelity feed" => Ok(ChangeFeedMode::AllVersionsAndDeletes),
        _ => Err(ApiError::bad_request(format!(
            "The header A-IM is '{value}'. Use 'Incremental Feed' or 'Full-Fidelity Feed'."
        ))),
    }
}

fn parse_start(request: &ApiRequest) -> ApiResult<ChangeFeedStart> {
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
        ApiError::bad_request(format!(
            "The header If-Modified-Since is '{text}'. Send a date such as 'Mon, 16 Nov 2026 00:01:20 GMT'."
        ))
    })?;
    Ok(ChangeFeedStart::Time(TimestampSeconds(second)))
}
