//! Queries and change feeds on the engine.

use engine::change_feed::{
    Change, ChangeFeedMode, ChangeFeedStart, ChangeOperation as EngineOperation, ReadChangeFeed,
};
use engine::operation::{PageOptions, ReadOptions};
use engine::query::{Parameters, QueryItems, QueryLimits};
use engine::{ContainerLink, Item};
use model::FeedRange;

use crate::answer::SessionToken;
use crate::call::{Body, OneChange, Part, Reply};
use crate::change_feed::{ChangeMode, ChangeOperation, ChangeStart};
use crate::error::Result;
use crate::query::{PageOptions as OurPage, QueryText};

use super::{Embedded, translate};

impl Embedded {
    pub(super) async fn query(
        &self,
        container: &ContainerLink,
        text: &QueryText,
        part: &Part,
        page: &OurPage,
    ) -> Result<Reply> {
        let mut parameters = Parameters::new();
        for (name, value) in text.parameters() {
            parameters.push(*name, Some(value.clone()));
        }
        let token = page.session_token.as_ref().map(SessionToken::to_embedded).transpose()?;
        let query = QueryItems {
            container: container.clone(),
            text: text.text().to_owned(),
            parameters,
            feed_range: match part {
                Part::PartitionKey(key) | Part::Prefix(key) => FeedRange::PartitionKey(key.clone()),
                Part::FeedRange(range) => range.clone(),
                Part::Container => FeedRange::Container,
            },
            page: PageOptions { items_max: page.rows_max, continuation: page.continuation.clone() },
            options: ReadOptions { session_token: token, ..ReadOptions::default() },
            wants_index_metrics: false,
            limits: QueryLimits::default(),
        };
        let outcome = self.engine.query_items(query).await.map_err(translate)?;
        Ok(self.reply(outcome, |page| {
            (Body::Rows { rows: page.rows, continuation: page.continuation }, None)
        }))
    }

    pub(super) async fn changes(
        &self,
        container: &ContainerLink,
        part: &FeedRange,
        mode: ChangeMode,
        start: &ChangeStart,
        items_max: Option<usize>,
    ) -> Result<Reply> {
        let read = ReadChangeFeed {
            container: container.clone(),
            feed_range: part.clone(),
            mode: engine_mode(mode),
            start: engine_start(start),
            items_max,
        };
        let outcome = self.engine.read_change_feed(read).await.map_err(translate)?;
        Ok(self.reply(outcome, |page| {
            let changes = page.changes.iter().map(|change| one(change, mode));
            let changes = changes.collect();
            (Body::Changes { changes, continuation: page.continuation, more: page.more }, None)
        }))
    }
}

/// The feed of newest versions tells no operation in any place, so it is not told here either.
fn one(change: &Change, mode: ChangeMode) -> OneChange {
    OneChange {
        operation: (mode == ChangeMode::AllVersionsAndDeletes).then_some(
            match change.operation() {
                EngineOperation::Create => ChangeOperation::Create,
                EngineOperation::Replace => ChangeOperation::Replace,
                EngineOperation::Delete => ChangeOperation::Delete,
                EngineOperation::Expire => ChangeOperation::Expire,
            },
        ),
        id: Some(change.id().to_owned()),
        partition_key: Some(change.partition_key()),
        current: change.current().map(Item::into_text),
        previous: change.previous().map(|item| item.clone().into_text()),
    }
}

fn engine_mode(mode: ChangeMode) -> ChangeFeedMode {
    match mode {
        ChangeMode::LatestVersion => ChangeFeedMode::LatestVersion,
        ChangeMode::AllVersionsAndDeletes => ChangeFeedMode::AllVersionsAndDeletes,
    }
}

fn engine_start(start: &ChangeStart) -> ChangeFeedStart {
    match start {
        ChangeStart::Beginning => ChangeFeedStart::Beginning,
        ChangeStart::Now => ChangeFeedStart::Now,
        ChangeStart::Time(second) => ChangeFeedStart::Time(*second),
        ChangeStart::Continuation(token) => ChangeFeedStart::Continuation(token.clone()),
    }
}
