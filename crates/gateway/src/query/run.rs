//! Runs one page of a query.
//!
//! Owns the request, the response and the policy for queries over all partitions: strict, as the hosted gateway, or
//! generous.

use std::time::Duration;

use engine::ContainerAddress;
use engine::query::{DirectQuery, FeatureSet, PlanQuery, QueryItems, QueryLimits, QueryPage};
use hyper::header::{HeaderName, HeaderValue};
use model::FeedRange;

use super::body::QueryRequestBody;
use super::metrics::format_metrics;
use super::token;
use crate::feed_range::parse_feed_range;
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, Envelope, header};
use crate::settings::CrossPartition;

/// The header that says in which direction items with equal values come, so that clients know what they have seen of
/// them: by resource id, descending if the index is read backwards.
fn execution_info(page: &QueryPage) -> (HeaderName, HeaderValue) {
    let info = match page.is_reversed {
        true => r#"{"reverseRidEnabled":false,"reverseIndexScan":true}"#,
        false => r#"{"reverseRidEnabled":false,"reverseIndexScan":false}"#,
    };
    (header::QUERY_EXECUTION_INFO, HeaderValue::from_static(info))
}

pub(crate) async fn run_query(
    gateway: &Gateway,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let engine = gateway.engine();
    let query = QueryRequestBody::parse(request)?.resumed(engine, &address.link)?;
    let feed_range = parse_feed_range(engine, request, address).await?;
    // A client that names a range merges the results itself, even if the range is the whole container.
    let has_range_id = request.header(&header::PARTITION_KEY_RANGE_ID).is_some();
    let is_of_container = feed_range == FeedRange::Container && !has_range_id;
    if is_of_container {
        check_cross_partition(gateway, request, address, &query).await?;
    }
    let mut page = request.page_options()?;
    page.continuation = page.continuation.map(token::unwrap);
    let wants_advice = request.flag(&header::POPULATE_QUERY_ADVICE);
    let advice = wants_advice.then(|| format_advice(&engine.query_advice(&query.text))).flatten();
    let operation = QueryItems {
        container: address.link.clone(),
        text: query.text,
        parameters: query.parameters,
        feed_range,
        page,
        options: request.read_options(engine)?,
        limits: page_limits(gateway),
        wants_index_metrics: request.flag(&header::POPULATE_INDEX_METRICS)
            || request.flag(&header::POPULATE_INDEX_METRICS_V2),
    };
    // Boxed, because this future is large and would be moved together with ours.
    let mut page = Box::pin(engine.query_items(operation)).await?;
    if is_of_container {
        page.value.continuation = page.value.continuation.map(token::wrap);
    }
    let response = page_response(request, address, &page.value);
    Ok(response
        .with_some(header::QUERY_ADVICE, advice)
        .charge(page.charge)
        .charge_explanation(page.explanation)
        .session_token(page.session_token.as_ref()))
}

/// The limits of a page.
fn page_limits(gateway: &Gateway) -> QueryLimits {
    let time_max = Some(Duration::from_millis(gateway.settings().limits.page_ms_max));
    QueryLimits { time_max, ..QueryLimits::default() }
}

/// Formats the advice about a query: percent-encoded JSON, or `None` if no rule applies.
fn format_advice(rules: &[&str]) -> Option<String> {
    if rules.is_empty() {
        return None;
    }
    let entries =
        rules.iter().map(|rule| format!("%7B%22Id%22%3A%22{rule}%22%2C%22Params%22%3A%5B%5D%7D"));
    Some(format!("%5B{}%5D", entries.collect::<Vec<_>>().join("%2C")))
}

/// Refuses a query over all partitions that the client did not allow, or whose results it must merge itself.
async fn check_cross_partition(
    gateway: &Gateway,
    request: &ApiRequest,
    address: &ContainerAddress,
    query: &QueryRequestBody,
) -> ApiResult<()> {
    let is_allowed = request.flag(&header::CROSS_PARTITION);
    let is_generous = gateway.settings().cross_partition == CrossPartition::Generous
        || request.flag(&header::MERGE_PARTITIONS);
    if is_allowed && is_generous {
        return Ok(());
    }
    let operation = PlanQuery {
        container: address.link.clone(),
        text: query.text.clone(),
        parameters: query.parameters.clone(),
        // Assumes a client that can do everything: whether this one can is asked when it requests the plan.
        features: FeatureSet::full(),
    };
    let direct = gateway.engine().direct_query(operation).await;
    match direct {
        // The filter restricts it to one partition key, so nothing crosses partitions.
        Ok(DirectQuery::OneLogicalPartition) => Ok(()),
        _ if !is_allowed => Err(ApiError::bad_request(
            "Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition to \
             true, specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.",
        )),
        Ok(DirectQuery::Served) => Ok(()),
        Ok(DirectQuery::NeedsPlan(plan, message)) => {
            // Clients recognize this status pair and run the plan instead.
            Err(ApiError::bad_request(message).with_sub_status(1004).with_plan(plan.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

fn page_response(
    request: &ApiRequest,
    address: &ContainerAddress,
    page: &QueryPage,
) -> ApiResponse {
    let bytes = page.rows.iter().map(|row| row.len() + 1).sum();
    let mut envelope = Envelope::new(Some(&address.rid), "Documents", bytes);
    page.rows.iter().for_each(|row| envelope.push(row));
    let count = envelope.count();
    let mut response = ApiResponse::ok(envelope.into_text())
        .with_number(header::ITEM_COUNT, count as u64)
        .with_all([
            execution_info(page),
            (header::IS_DELETE_PENDING, HeaderValue::from_static("false")),
        ])
        .container_headers(address);
    if let Some(continuation) = &page.continuation {
        response = response.with_text(header::CONTINUATION, continuation);
    }
    if request.flag(&header::POPULATE_QUERY_METRICS) {
        response = response.with(header::QUERY_METRICS, format_metrics(&page.metrics));
    }
    if let Some(metrics) = &page.index_metrics {
        let is_v2 = request.flag(&header::POPULATE_INDEX_METRICS_V2);
        let text = if is_v2 { metrics.to_header_v2() } else { metrics.to_header() };
        response = response.with(header::INDEX_UTILIZATION, text);
    }
    response
}
