//! The change feed.
//!
//! Owns the headers for mode, start, form and feed range. The etag of a response, also of "not modified", is the
//! continuation: the lsn if one lsn applies to the whole feed range, as clients compute with it, otherwise an opaque
//! token. A range id always has an lsn, because it names one physical partition.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use hyper::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use model::{Lsn, TimestampSeconds};

use super::change_body::{
    PreviousImages, encode_all_versions, encode_current, encode_latest_version,
};
use crate::feed_range::parse_feed_range;
use crate::http::{
    ApiError, ApiRequest, ApiResponse, ApiResult, Envelope, header, parse_http_date,
};

/// The wire format in which every change is an object of the item and its metadata.
const ENVELOPE_FORMAT: &str = "2021-09-15";

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
    let has_envelope = request.header(&header::CHANGE_FEED_WIRE_FORMAT) == Some(ENVELOPE_FORMAT);
    let previous_images = match request.flag(&header::PREVIOUS_IMAGES) {
        true => PreviousImages::Sent,
        false => PreviousImages::Omitted,
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
                ChangeFeedMode::LatestVersion if has_envelope => encode_current(change),
                ChangeFeedMode::LatestVersion => encode_latest_version(change),
                ChangeFeedMode::AllVersionsAndDeletes => {
                    encode_all_versions(change, &definition, previous_images)
                }
            });
        }
        let count = envelope.count();
        ApiResponse::ok(envelope.into_text()).with(header::ITEM_COUNT, count)
    };
    let response = match page.lsn {
        Some(lsn) => response.etag(format_args!("\"{lsn}\"")),
        None => response.etag(format_args!("\"{}\"", page.continuation)),
    };
    Ok(response
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
        let text = etag.trim_matches('"');
        return Ok(match text.parse() {
            Ok(lsn) => ChangeFeedStart::Lsn(Lsn(lsn)),
            Err(_) if text == "*" => ChangeFeedStart::Now,
            Err(_) => ChangeFeedStart::Continuation(text.to_owned()),
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
