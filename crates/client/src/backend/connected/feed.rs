//! Queries and change feeds through the SDK.

use std::num::NonZeroU32;

use azure_data_cosmos::feed::ContinuationToken;
use azure_data_cosmos::models::{ChangeFeedItem, ChangeFeedOperationType};
use azure_data_cosmos::options::{
    ChangeFeedMode as SdkMode, ChangeFeedOptions, ChangeFeedStartFrom, MaxItemCountHint,
    QueryOptions, SessionToken as Token,
};
use azure_data_cosmos::{FeedScope, Query as LibraryQuery};
use bytes::Bytes;
use engine::ContainerLink;
use engine::change_feed::{ChangeFeedMode, ChangeOperation};
use futures::StreamExt as _;
use model::{FeedRange, Json, PartitionKey};
use serde_json::value::RawValue;

use crate::change_feed::ChangeStart;
use crate::error::Result;
use crate::query::{QueryPageOptions, QueryScope, QueryText};
use crate::request::{BackendResponse, ItemAddress, RawChange, ResponseBody};

use super::ConnectedBackend;
use super::convert::{feed_scope, library_range, partition_key, raw};
use super::error::translate;
use super::response::metadata_response;

/// Who decides that a query has no further page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastPage {
    /// The account: a query of one logical partition ends without a continuation.
    FromAccount,
    /// The SDK, which merges several partitions. It reports the end one page later, without a request.
    FromSdk,
}

impl ConnectedBackend {
    pub(super) async fn query(
        &self,
        container: &ContainerLink,
        text: &QueryText,
        query_scope: &QueryScope,
        page: &QueryPageOptions,
    ) -> Result<BackendResponse> {
        let (scope, last_page) = match query_scope {
            QueryScope::PartitionKey(key) => {
                (FeedScope::partition(partition_key(key)?), LastPage::FromAccount)
            }
            QueryScope::Prefix(key) => {
                (FeedScope::partition(partition_key(key)?), LastPage::FromSdk)
            }
            QueryScope::FeedRange(range) => (feed_scope(range)?, LastPage::FromSdk),
            QueryScope::Container => (FeedScope::full_container(), LastPage::FromSdk),
        };
        let query = library_query(text.text(), text.parameters())?;
        self.page(container, query, scope, last_page, page).await
    }

    /// Runs an internal query in the logical partition of an item. Returns the rows and their charge.
    pub(super) async fn rows(
        &self,
        container: &ContainerLink,
        text: &str,
        parameters: &[(&'static str, Json)],
        address: &ItemAddress,
    ) -> Result<(Vec<Bytes>, f64)> {
        let query = library_query(text, parameters)?;
        let scope = FeedScope::partition(partition_key(&address.partition_key)?);
        let page = QueryPageOptions::default();
        let response = self.page(container, query, scope, LastPage::FromAccount, &page).await?;
        match response.body {
            ResponseBody::Rows { rows, .. } => Ok((rows, response.charge)),
            other => Err(other.unexpected("rows")),
        }
    }

    async fn page(
        &self,
        container: &ContainerLink,
        query: LibraryQuery,
        scope: FeedScope,
        last_page: LastPage,
        page: &QueryPageOptions,
    ) -> Result<BackendResponse> {
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
        // A continuation that stands at the end: a page without rows and without a request.
        let Some(next) = pages.next().await else {
            let body = ResponseBody::Rows { rows: Vec::new(), continuation: None };
            return Ok(BackendResponse { body, ..BackendResponse::empty(&self.environment) });
        };
        let next = next.map_err(translate)?;
        let mut response =
            metadata_response(next.headers(), ResponseBody::Nothing, &self.environment);
        let has_ended =
            last_page == LastPage::FromAccount && next.headers().continuation().is_none();
        let continuation = match has_ended {
            true => None,
            false => Some(pages.to_continuation_token().map_err(translate)?.as_str().to_owned()),
        };
        let rows = next.into_items().iter().map(|row| text_of(row)).collect();
        // The header has the etag of the feed, not of an item.
        response.etag = None;
        response.body = ResponseBody::Rows { rows, continuation };
        Ok(response)
    }

    pub(super) async fn changes(
        &self,
        container: &ContainerLink,
        feed_range: &FeedRange,
        mode: ChangeFeedMode,
        start: &ChangeStart,
        items_max: Option<usize>,
    ) -> Result<BackendResponse> {
        let client = self.container(container).await?;
        let mut options = ChangeFeedOptions::default().with_mode(match mode {
            ChangeFeedMode::LatestVersion => SdkMode::LatestVersion,
            ChangeFeedMode::AllVersionsAndDeletes => SdkMode::AllVersionsAndDeletes,
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
                // Required by the SDK, and overridden by the continuation token.
                ChangeFeedStartFrom::Beginning
            }
        };
        // The SDK reads one physical partition per page. There is nothing new only if each of them had nothing.
        let requests = match feed_range {
            FeedRange::PartitionKey(_) => 1,
            feed_range => {
                let range = library_range(feed_range)?;
                let all = client.read_feed_ranges(None).await.map_err(translate)?;
                all.iter().filter(|partition| partition.overlaps(&range)).count().max(1)
            }
        };
        let feed =
            client.query_change_feed::<Box<RawValue>>(feed_scope(feed_range)?, from, Some(options));
        let mut pages = feed.await.map_err(translate)?;
        let mut all = BackendResponse::empty(&self.environment);
        let mut changes = Vec::new();
        for _ in 0..requests {
            let Some(page) = pages.next().await else { break };
            let page = page.map_err(translate)?;
            let one = metadata_response(page.headers(), ResponseBody::Nothing, &self.environment);
            // The session token of the last page wins; the charges of empty partitions count too.
            all = BackendResponse { charge: all.charge + one.charge, etag: None, ..one };
            changes = page.into_items().iter().map(|item| change(item, mode)).collect();
            if !changes.is_empty() {
                break;
            }
        }
        let token = pages.to_continuation_token().map_err(translate)?;
        let more = !changes.is_empty();
        let continuation = token.as_str().to_owned();
        Ok(BackendResponse { body: ResponseBody::Changes { changes, continuation, more }, ..all })
    }
}

fn start_at(second: model::TimestampSeconds) -> Result<ChangeFeedStartFrom> {
    let second = i64::try_from(second.0).unwrap_or(i64::MAX);
    let time = azure_core::time::OffsetDateTime::from_unix_timestamp(second).map_err(|error| {
        crate::error::Error::bad_request(format!("{second} is not a valid time")).caused_by(&error)
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

fn change(item: &ChangeFeedItem<Box<RawValue>>, mode: ChangeFeedMode) -> RawChange {
    let metadata = item.metadata();
    let has_expired = metadata.and_then(|metadata| metadata.time_to_live_expired()) == Some(true);
    let operation = item.operation_type().and_then(|operation| match operation {
        ChangeFeedOperationType::Create => Some(ChangeOperation::Create),
        ChangeFeedOperationType::Replace => Some(ChangeOperation::Replace),
        ChangeFeedOperationType::Delete if has_expired => Some(ChangeOperation::Expire),
        ChangeFeedOperationType::Delete => Some(ChangeOperation::Delete),
        _ => None,
    });
    // In the other mode the account may or may not send it; callers must not depend on that.
    let operation = operation.filter(|_| mode == ChangeFeedMode::AllVersionsAndDeletes);
    let is_deleted = matches!(operation, Some(ChangeOperation::Delete | ChangeOperation::Expire));
    let key = metadata.and_then(|metadata| metadata.partition_key());
    RawChange {
        operation,
        id: metadata.and_then(|metadata| metadata.id()).map(ToOwned::to_owned),
        partition_key: key.and_then(|key| PartitionKey::parse(&key.to_string()).ok()),
        // A deletion may come with an empty object in place of the item.
        current: item.current().filter(|_| !is_deleted).map(|raw| text_of(raw)),
        previous: item.previous().map(|raw| text_of(raw)),
    }
}
