//! Queries and change feeds through the library.

use std::num::NonZeroU32;

use azure_data_cosmos::feed::ContinuationToken;
use azure_data_cosmos::models::{ChangeFeedItem, ChangeFeedOperationType};
use azure_data_cosmos::options::{
    ChangeFeedMode, ChangeFeedOptions, ChangeFeedStartFrom, MaxItemCountHint, QueryOptions,
    SessionToken as Token,
};
use azure_data_cosmos::{FeedScope, Query as LibraryQuery};
use bytes::Bytes;
use engine::ContainerLink;
use futures::StreamExt as _;
use model::{FeedRange, Json, PartitionKey};
use serde_json::value::RawValue;

use crate::call::{At, Body, OneChange, Part, Reply};
use crate::change_feed::{ChangeMode, ChangeOperation, ChangeStart};
use crate::error::Result;
use crate::query::{PageOptions, QueryText};

use super::Connected;
use super::error::translate;
use super::reply::reply;
use super::translate::{library_range, partition_key, raw, scope as scope_of};

/// Who knows that a query has no further page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The account, which answers for one logical partition.
    OfAccount,
    /// The library, which merges several: it says so one page later, without asking anybody.
    OfLibrary,
}

impl Connected {
    pub(super) async fn query(
        &self,
        container: &ContainerLink,
        text: &QueryText,
        part: &Part,
        page: &PageOptions,
    ) -> Result<Reply> {
        let (scope, end) = match part {
            Part::PartitionKey(key) => (FeedScope::partition(partition_key(key)?), End::OfAccount),
            Part::Prefix(key) => (FeedScope::partition(partition_key(key)?), End::OfLibrary),
            Part::FeedRange(range) => (scope_of(range)?, End::OfLibrary),
            Part::Container => (FeedScope::full_container(), End::OfLibrary),
        };
        let query = library_query(text.text(), text.parameters())?;
        self.page(container, query, scope, end, page).await
    }

    /// The rows of a query of our own in the logical partition of an item, and their charge.
    pub(super) async fn rows(
        &self,
        container: &ContainerLink,
        text: &str,
        parameters: &[(&'static str, Json)],
        at: &At,
    ) -> Result<(Vec<Bytes>, f64)> {
        let query = library_query(text, parameters)?;
        let scope = FeedScope::partition(partition_key(&at.partition_key)?);
        let page = PageOptions::default();
        let reply = self.page(container, query, scope, End::OfAccount, &page).await?;
        match reply.body {
            Body::Rows { rows, .. } => Ok((rows, reply.charge)),
            other => Err(other.unexpected("rows")),
        }
    }

    async fn page(
        &self,
        container: &ContainerLink,
        query: LibraryQuery,
        scope: FeedScope,
        end: End,
        page: &PageOptions,
    ) -> Result<Reply> {
        let mut options = QueryOptions::default();
        if let Some(rows_max) = page.rows_max {
            options = options.with_max_item_count(hint(rows_max));
        }
        if let Some(token) = &page.continuation {
            options =
                options.with_continuation_token(ContinuationToken::from_string(token.clone()));
        }
        if let Some(token) = &page.session_token {
            options = options.with_session_token(Token::from(token.to_string()));
        }
        let client = self.container(container).await?;
        let rows = client.query_items::<Box<RawValue>>(query, scope, Some(options)).await;
        let mut pages = rows.map_err(translate)?.into_pages();
        let Some(next) = pages.next().await else {
            let body = Body::Rows { rows: Vec::new(), continuation: None };
            return Ok(Reply { body, ..self.empty_reply() });
        };
        let next = next.map_err(translate)?;
        let mut reply = reply(next.headers(), Body::Nothing, &self.environment);
        let has_ended = end == End::OfAccount && next.headers().continuation().is_none();
        let continuation = match has_ended {
            true => None,
            false => Some(pages.to_continuation_token().map_err(translate)?.as_str().to_owned()),
        };
        let rows = next.into_items().iter().map(|row| text_of(row)).collect();
        reply.etag = None;
        reply.body = Body::Rows { rows, continuation };
        Ok(reply)
    }

    pub(super) async fn changes(
        &self,
        container: &ContainerLink,
        part: &FeedRange,
        mode: ChangeMode,
        start: &ChangeStart,
        items_max: Option<usize>,
    ) -> Result<Reply> {
        let client = self.container(container).await?;
        let mut options = ChangeFeedOptions::default().with_mode(match mode {
            ChangeMode::LatestVersion => ChangeFeedMode::LatestVersion,
            ChangeMode::AllVersionsAndDeletes => ChangeFeedMode::AllVersionsAndDeletes,
        });
        if let Some(items_max) = items_max {
            options = options.with_max_item_count(hint(items_max));
        }
        let from = match start {
            ChangeStart::Beginning => ChangeFeedStartFrom::Beginning,
            ChangeStart::Now => ChangeFeedStartFrom::Now,
            ChangeStart::Time(second) => start_at(*second)?,
            ChangeStart::Continuation(token) => {
                let token = ContinuationToken::from_string(token.clone());
                options = options.with_continuation_token(token);
                ChangeFeedStartFrom::Beginning
            }
        };
        // The library asks the physical partitions in turn, so nothing is new only when each of them said so.
        let turns = match part {
            FeedRange::PartitionKey(_) => 1,
            part => {
                let part = library_range(part)?;
                let all = client.read_feed_ranges(None).await.map_err(translate)?;
                all.iter().filter(|range| range.overlaps(&part)).count().max(1)
            }
        };
        let feed = client.query_change_feed::<Box<RawValue>>(scope_of(part)?, from, Some(options));
        let mut pages = feed.await.map_err(translate)?;
        let mut all = self.empty_reply();
        let mut changes = Vec::new();
        for _ in 0..turns {
            let Some(page) = pages.next().await else { break };
            let page = page.map_err(translate)?;
            let one = reply(page.headers(), Body::Nothing, &self.environment);
            all = Reply { charge: all.charge + one.charge, etag: None, ..one };
            changes = page.into_items().iter().map(|item| change(item, mode)).collect();
            if !changes.is_empty() {
                break;
            }
        }
        let token = pages.to_continuation_token().map_err(translate)?;
        let more = !changes.is_empty();
        let continuation = token.as_str().to_owned();
        Ok(Reply { body: Body::Changes { changes, continuation, more }, ..all })
    }
}

fn start_at(second: model::TimestampSeconds) -> Result<ChangeFeedStartFrom> {
    let second = i64::try_from(second.0).unwrap_or(i64::MAX);
    let time = azure_core::time::OffsetDateTime::from_unix_timestamp(second).map_err(|error| {
        crate::error::Error::bad_request(format!("{second} is no second of time"))
            .with_source(error)
    })?;
    Ok(ChangeFeedStartFrom::PointInTime(time))
}

fn library_query(text: &str, parameters: &[(&'static str, Json)]) -> Result<LibraryQuery> {
    let mut query = LibraryQuery::from(text.to_owned());
    for (name, value) in parameters {
        query = query.with_parameter(*name, raw(value)?).map_err(translate)?;
    }
    Ok(query)
}

fn hint(items_max: usize) -> MaxItemCountHint {
    let items = u32::try_from(items_max).ok().and_then(NonZeroU32::new);
    items.map_or(MaxItemCountHint::ServerDecides, MaxItemCountHint::Limit)
}

fn text_of(raw: &RawValue) -> Bytes {
    Bytes::copy_from_slice(raw.get().as_bytes())
}

fn change(item: &ChangeFeedItem<Box<RawValue>>, mode: ChangeMode) -> OneChange {
    let metadata = item.metadata();
    let has_expired = metadata.and_then(|it| it.time_to_live_expired()) == Some(true);
    let operation = item.operation_type().and_then(|operation| match operation {
        ChangeFeedOperationType::Create => Some(ChangeOperation::Create),
        ChangeFeedOperationType::Replace => Some(ChangeOperation::Replace),
        ChangeFeedOperationType::Delete if has_expired => Some(ChangeOperation::Expire),
        ChangeFeedOperationType::Delete => Some(ChangeOperation::Delete),
        _ => None,
    });
    let operation = operation.filter(|_| mode == ChangeMode::AllVersionsAndDeletes);
    let is_deleted = matches!(operation, Some(ChangeOperation::Delete | ChangeOperation::Expire));
    let key = metadata.and_then(|it| it.partition_key());
    OneChange {
        operation,
        id: metadata.and_then(|it| it.id()).map(ToOwned::to_owned),
        partition_key: key.and_then(|key| PartitionKey::parse(&key.to_string()).ok()),
        current: item.current().filter(|_| !is_deleted).map(|raw| text_of(raw)),
        previous: item.previous().map(|raw| text_of(raw)),
    }
}
