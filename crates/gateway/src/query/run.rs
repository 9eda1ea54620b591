//! One page of a query.
//!
//! Owns the request, the reply and the policy for queries that name no part of their container: as the hosted gateway,
//! or generously.

use std::time::Duration;

use engine::ContainerAddress;
use engine::query::{DirectQuery, FeatureSet, PlanQuery, QueryItems, QueryLimits, QueryPage};
use hyper::header::{HeaderName, HeaderValue};
use model::FeedRange;

use super::metrics;
use super::text::QueryText;
use crate::exchange::{Envelope, Failure, Outcome, Reply, Request, header};
use crate::gateway::Gateway;
use crate::resource::partition_key_range::feed_range;
use crate::settings::CrossPartition;

/// How long a page may take.
const PAGE_MS_MAX: u64 = 30_000;

/// What every page says.
const FIXED: [(HeaderName, HeaderValue); 2] = [
    (
        header::QUERY_EXECUTION_INFO,
        HeaderValue::from_static(r#"{"reverseRidEnabled":false,"reverseIndexScan":false}"#),
    ),
    (header::IS_DELETE_PENDING, HeaderValue::from_static("false")),
];

pub(crate) async fn run(
    gateway: &Gateway,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    let engine = gateway.engine();
    let query = QueryText::of(request)?;
    let feed_range = feed_range(engine, request, address).await?;
    let names_part = request.header(&header::PARTITION_KEY_RANGE_ID).is_some();
    if feed_range == FeedRange::Container && !names_part {
        check_direct(gateway, request, address, &query)?;
    }
    let limits = QueryLimits {
        time_max: Some(Duration::from_millis(PAGE_MS_MAX)),
        ..QueryLimits::default()
    };
    let wants_advice = request.flag(&header::POPULATE_QUERY_ADVICE);
    let advice = wants_advice.then(|| advice(&engine.query_advice(&query.text))).flatten();
    let operation = QueryItems {
        container: address.link.clone(),
        text: query.text,
        parameters: query.parameters,
        feed_range,
        page: request.page()?,
        options: request.read_options(engine)?,
        limits,
        wants_index_metrics: request.flag(&header::POPULATE_INDEX_METRICS)
            || request.flag(&header::POPULATE_INDEX_METRICS_V2),
    };
    // The one large future of a query: alone in its place, it is not copied with ours.
    let outcome = Box::pin(engine.query_items(operation)).await?;
    let reply = reply(request, address, &outcome.value).with_some(header::QUERY_ADVICE, advice);
    Ok(reply
        .charge(outcome.charge)
        .explained(outcome.explanation)
        .session(outcome.session_token.as_ref()))
}

/// The rules a query meets as clients read them: JSON, escaped as in addresses; nothing when it meets none.
fn advice(rules: &[&str]) -> Option<String> {
    if rules.is_empty() {
        return None;
    }
    let entries =
        rules.iter().map(|rule| format!("%7B%22Id%22%3A%22{rule}%22%2C%22Params%22%3A%5B%5D%7D"));
    Some(format!("%5B{}%5D", entries.collect::<Vec<_>>().join("%2C")))
}

/// Refuses a query over all partitions that the client did not allow or must merge itself.
fn check_direct(
    gateway: &Gateway,
    request: &Request,
    address: &ContainerAddress,
    query: &QueryText,
) -> Outcome<()> {
    let operation = PlanQuery {
        container: address.link.clone(),
        text: query.text.clone(),
        parameters: query.parameters.clone(),
        features: FeatureSet::full(),
    };
    let is_allowed = request.flag(&header::CROSS_PARTITION);
    if is_allowed && gateway.settings().cross_partition == CrossPartition::Generous {
        return Ok(());
    }
    let direct = gateway.engine().direct_query(&operation);
    match direct {
        Ok(DirectQuery::OneLogicalPartition) => Ok(()),
        _ if !is_allowed => Err(Failure::bad_request(
            "Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition to \
             true, specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.",
        )),
        Ok(DirectQuery::Served) => Ok(()),
        Ok(DirectQuery::NeedsPlan(plan, words)) => {
            Err(Failure::bad_request(words).sub_status(1004).with_plan(plan.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

fn reply(request: &Request, address: &ContainerAddress, page: &QueryPage) -> Reply {
    let bytes = page.rows.iter().map(|row| row.len() + 1).sum();
    let mut envelope = Envelope::new(Some(&address.rid), "Documents", bytes);
    page.rows.iter().for_each(|row| envelope.push(row));
    let count = envelope.count();
    let mut reply = Reply::ok(envelope.into_text())
        .with_number(header::ITEM_COUNT, count as u64)
        .with_all(FIXED)
        .owner(address);
    if let Some(continuation) = &page.continuation {
        reply = reply.with_text(header::CONTINUATION, continuation);
    }
    if request.flag(&header::POPULATE_QUERY_METRICS) {
        reply = reply.with(header::QUERY_METRICS, metrics::text(&page.metrics));
    }
    if let Some(metrics) = &page.index_metrics {
        let is_second = request.flag(&header::POPULATE_INDEX_METRICS_V2);
        let text = if is_second { metrics.to_header_v2() } else { metrics.to_header() };
        reply = reply.with(header::INDEX_UTILIZATION, text);
    }
    reply
}
