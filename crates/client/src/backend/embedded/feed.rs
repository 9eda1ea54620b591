//! Queries and change feeds on the engine.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ChangeRecord, ReadChangeFeed};
use engine::operation::{PageOptions, ReadOptions};
use engine::query::{Parameters, QueryItems, QueryLimits};
use engine::{ContainerLink, ItemResource};
use model::FeedRange;

use crate::change_feed::ChangeStart;
use crate::error::Result;
use crate::query::{QueryPageOptions, QueryScope, QueryText};
use crate::request::{BackendResponse, RawChange, ResponseBody};
use crate::response::ClientSessionToken;

use super::{EmbeddedBackend, translate};

impl EmbeddedBackend {
    pub(super) async fn query(
        &self,
        container: &ContainerLink,
        text: &QueryText,
        scope: QueryScope,
        page: QueryPageOptions,
    ) -> Result<BackendResponse> {
        let mut parameters = Parameters::new();
        for (name, value) in text.parameters() {
            parameters.push(*name, Some(value.clone()));
        }
        let token = page.session_token.as_ref().map(ClientSessionToken::to_embedded).transpose()?;
        let query = QueryItems {
            container: container.clone(),
            text: text.text().to_owned(),
            parameters,
            feed_range: match scope {
                // The engine takes a shorter key as a prefix by itself.
                QueryScope::PartitionKey(key) | QueryScope::Prefix(key) => {
                    FeedRange::PartitionKey(key)
                }
                QueryScope::FeedRange(range) => range,
                QueryScope::Container => FeedRange::Container,
            },
            page: PageOptions { items_max: page.rows_max, continuation: page.continuation },
            options: ReadOptions { session_token: token, ..ReadOptions::default() },
            wants_index_metrics: false,
            limits: QueryLimits::default(),
        };
        let outcome = self.engine.query_items(query).await.map_err(translate)?;
        Ok(self.response(outcome, |page| {
            (ResponseBody::Rows { rows: page.rows, continuation: page.continuation }, None)
        }))
    }

    pub(super) async fn changes(
        &self,
        container: &ContainerLink,
        feed_range: FeedRange,
        mode: ChangeFeedMode,
        start: ChangeStart,
        items_max: Option<usize>,
    ) -> Result<BackendResponse> {
        let read = ReadChangeFeed {
            container: container.clone(),
            feed_range,
            mode,
            start: engine_start(start),
            items_max,
        };
        let outcome = self.engine.read_change_feed(read).await.map_err(translate)?;
        Ok(self.response(outcome, |page| {
            let changes = page.changes.iter().map(|change| raw_change(change, mode));
            let changes = changes.collect();
            (
                ResponseBody::Changes { changes, continuation: page.continuation, more: page.more },
                None,
            )
        }))
    }
}

/// In the mode of latest versions no backend reports the operation, so the embedded one does not, either.
fn raw_change(change: &ChangeRecord, mode: ChangeFeedMode) -> RawChange {
    let is_reported = mode == ChangeFeedMode::AllVersionsAndDeletes;
    RawChange {
        operation: is_reported.then(|| change.operation()),
        id: Some(change.id().to_owned()),
        partition_key: Some(change.partition_key()),
        current: change.current().map(ItemResource::into_text),
        previous: change.previous().map(|item| item.clone().into_text()),
    }
}

fn engine_start(start: ChangeStart) -> ChangeFeedStart {
    match start {
        ChangeStart::Beginning => ChangeFeedStart::Beginning,
        ChangeStart::Now => ChangeFeedStart::Now,
        ChangeStart::Time(second) => ChangeFeedStart::Time(second),
        ChangeStart::Continuation(token) => ChangeFeedStart::Continuation(token),
    }
}
