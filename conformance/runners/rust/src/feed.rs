//! Queries, the change feed and feed ranges in the words of this library.

use std::num::NonZeroU32;

use azure_core::time::OffsetDateTime;
use azure_data_cosmos::Query;
use azure_data_cosmos::feed::{ContinuationToken, FeedScope};
use azure_data_cosmos::models::{ChangeFeedItem, ChangeFeedOperationType};
use azure_data_cosmos::options::{
    ChangeFeedMode, ChangeFeedOptions, ChangeFeedStartFrom, MaxItemCountHint, QueryOptions,
    ReadFeedRangesOptions, SessionToken,
};
use futures::StreamExt;
use serde_json::{Map, Value, json};

use crate::items::{key_of, operation};
use crate::outcome::{Seen, Stop};
use crate::runner::Runner;

impl Runner {
    pub(crate) async fn query(&self, step: &Value) -> Result<Seen, Stop> {
        let mut options = QueryOptions::default();
        if let Some(page) = page_of(step) {
            options = options.with_max_item_count(page);
        }
        if let Some(session) = step["session"].as_str() {
            options = options.with_session_token(SessionToken::from(session.to_owned()));
        }
        if step["metrics"] == json!(true) {
            options = options.with_populate_query_metrics(true).with_populate_index_metrics(true);
        }
        if step.get("consistency").is_some() {
            options = options.with_operation_options(operation(step)?);
        }
        let mut seen = Seen::default();
        let (query, scope) = (asked(step)?, self.scope(step)?);
        let ask = |options: QueryOptions| {
            self.container()
                .map(|to| to.query_items::<Value>(query.clone(), scope.clone(), Some(options)))
        };
        let mut pages = ask(options.clone())?.await?.into_pages();
        while let Some(page) = pages.next().await {
            let page = page?;
            seen.pages += 1;
            seen = seen.with_headers(page.headers());
            seen.query_metrics |= page.query_metrics().is_some();
            seen.index_metrics |= page.index_metrics().is_some();
            seen.rows.extend(page.into_items());
            if step["split_after"] == seen.pages {
                self.control("split_partition", step).await?;
            }
            if step["resume"] == json!(true) {
                let token = pages.to_continuation_token()?;
                let again = options.clone().with_continuation_token(token);
                pages = ask(again)?.await?.into_pages();
            }
        }
        Ok(seen)
    }

    fn scope(&self, step: &Value) -> Result<FeedScope, Stop> {
        Ok(match step.get("key") {
            Some(_) => FeedScope::partition(key_of(&self.paths, step)?),
            None => FeedScope::full_container(),
        })
    }

    /// Reads until as many pages in a row were empty as there are ranges: the feed itself never ends.
    pub(crate) async fn change_feed(&self, step: &Value) -> Result<Seen, Stop> {
        let container = self.container()?;
        let mut options = ChangeFeedOptions::default();
        if let Some(page) = page_of(step) {
            options = options.with_max_item_count(page);
        }
        if step["mode"] == json!("all") {
            options = options.with_mode(ChangeFeedMode::AllVersionsAndDeletes);
        }
        if let Some(token) = step["follow"].as_str() {
            options = options.with_continuation_token(ContinuationToken::from_string(token.into()));
        }
        let since =
            step["since"].as_i64().and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok());
        let start = match (step["from"].as_str(), since) {
            (_, Some(time)) => ChangeFeedStartFrom::PointInTime(time),
            (Some("now"), None) => ChangeFeedStartFrom::Now,
            _ => ChangeFeedStartFrom::Beginning,
        };
        let ranges = container.read_feed_ranges(None).await?.len();
        let scope = self.scope(step)?;
        let mut pages = container.query_change_feed::<Value>(scope, start, Some(options)).await?;
        let (mut seen, mut empty) = (Seen::default(), 0);
        while empty <= ranges {
            let Some(page) = pages.next().await else { break };
            let page = page?;
            empty = if page.items().is_empty() { empty + 1 } else { 0 };
            seen.pages += usize::from(empty == 0);
            seen = seen.with_headers(page.headers());
            seen.rows.extend(page.items().iter().map(|change| row(change, step)));
        }
        seen.continuation = Some(pages.to_continuation_token()?.as_str().to_owned());
        Ok(seen)
    }

    pub(crate) async fn feed_ranges(&self) -> Result<Seen, Stop> {
        // The library keeps the ranges it has read; a scenario asks for those of now.
        let options = ReadFeedRangesOptions::default().with_force_refresh(true);
        let ranges = self.container()?.read_feed_ranges(Some(options)).await?;
        Ok(Seen { rows: ranges.iter().map(|_| Value::Null).collect(), ..Seen::default() })
    }
}

/// A change as the other libraries show it: the item, or the envelope of its versions.
fn row(change: &ChangeFeedItem<Value>, step: &Value) -> Value {
    let current = change.current().cloned();
    if step["mode"] != json!("all") {
        return current.unwrap_or_default();
    }
    let mut row = Map::new();
    if let Some(current) = current {
        row.insert("current".into(), current);
    }
    if let Some(metadata) = change.metadata() {
        let operation = match metadata.operation_type() {
            Some(ChangeFeedOperationType::Create) => "create",
            Some(ChangeFeedOperationType::Replace) => "replace",
            Some(ChangeFeedOperationType::Delete) => "delete",
            _ => "",
        };
        let expired = metadata.time_to_live_expired();
        row.insert(
            "metadata".into(),
            json!({"operationType": operation, "timeToLiveExpired": expired}),
        );
    }
    Value::Object(row)
}

pub(crate) fn asked(step: &Value) -> Result<Query, Stop> {
    let mut query = Query::from(step["text"].as_str().unwrap_or("SELECT * FROM c"));
    for (name, value) in step["parameters"].as_object().into_iter().flatten() {
        query = query.with_parameter(name, value)?;
    }
    Ok(query)
}

fn page_of(step: &Value) -> Option<MaxItemCountHint> {
    let page = u32::try_from(step["page"].as_u64()?).ok()?;
    NonZeroU32::new(page).map(MaxItemCountHint::Limit)
}
