//! Requests to operations of the engine: the one match.
//!
//! Owns what every reply carries, and reads. Writes, batches, feeds and the catalog have their own files.

use async_trait::async_trait;
use engine::operation::{ReadItem, ReadManyItems, ReadOptions};
use engine::response::ReadResult;
use engine::{ContainerLink, Engine, Response};
use model::{EtagPattern, ItemId, PartitionKey, Precondition};

use crate::answer::{ActivityId, Etag, SessionToken};
use crate::call::{At, Body, Reply, Request};
use crate::error::Result;
use crate::place::Place;

use super::translate;

/// An account in this process.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(super) engine: Engine,
}

impl Embedded {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// A reply with what every outcome carries.
    pub(super) fn reply<T>(
        &self,
        outcome: Response<T>,
        body: impl FnOnce(T) -> (Body, Option<Etag>),
    ) -> Reply {
        let (body, etag) = body(outcome.value);
        Reply {
            body,
            charge: outcome.charge.as_f64(),
            etag,
            session_token: outcome.session_token.map(SessionToken::embedded),
            activity_id: ActivityId::random(self.engine.environment()),
        }
    }

    async fn read(
        &self,
        at: &At,
        session_token: Option<&SessionToken>,
        unless: Option<&Etag>,
    ) -> Result<Reply> {
        let read = ReadItem {
            container: (*at.container).clone(),
            partition_key: at.partition_key.clone(),
            id: at.id.clone(),
            options: ReadOptions {
                session_token: session_token.map(SessionToken::to_embedded).transpose()?,
                precondition: unless.map(|etag| Precondition::IfNoneMatch(pattern(etag))),
                ..ReadOptions::default()
            },
        };
        self.read_item(read).await
    }

    /// A point read without a request around it: it has no state beside the engine's.
    pub(crate) async fn read_item(&self, read: ReadItem) -> Result<Reply> {
        let outcome = self.engine.read_item(read).await.map_err(translate)?;
        Ok(self.reply(outcome, |answer| match answer {
            ReadResult::Found(item) => {
                let etag = Etag::embedded(item.etag());
                (Body::Item(item.into_text()), Some(etag))
            }
            ReadResult::NotModified(etag) => (Body::NotModified, Some(Etag::embedded(etag))),
        }))
    }

    async fn read_many(
        &self,
        container: &ContainerLink,
        items: &[(PartitionKey, ItemId)],
        session_token: Option<&SessionToken>,
    ) -> Result<Reply> {
        let session_token = session_token.map(SessionToken::to_embedded).transpose()?;
        let read = ReadManyItems {
            container: container.clone(),
            items: items.to_vec(),
            options: ReadOptions { session_token, ..ReadOptions::default() },
        };
        let outcome = self.engine.read_many_items(read).await.map_err(translate)?;
        Ok(self.reply(outcome, |items| {
            (Body::Items(items.into_iter().map(engine::Item::into_text).collect()), None)
        }))
    }
}

#[async_trait]
impl Place for Embedded {
    async fn execute(&self, request: &Request) -> Result<Reply> {
        match request {
            Request::Read { at, session_token, unless } => {
                self.read(at, session_token.as_ref(), unless.as_ref()).await
            }
            Request::ReadMany { container, items, session_token } => {
                self.read_many(container, items, session_token.as_ref()).await
            }
            Request::Create { at, item } => self.create(at, item).await,
            Request::Replace { at, item, etag } => self.replace(at, item, etag.as_ref()).await,
            Request::Upsert { at, item, etag } => self.upsert(at, item, etag.as_ref()).await,
            Request::Patch { at, patch, etag } => self.patch(at, patch, etag.as_ref()).await,
            Request::Delete { at, etag } => self.delete(at, etag.as_ref()).await,
            Request::DeletePartition { container, partition_key } => {
                self.delete_partition(container, partition_key).await
            }
            Request::Batch { container, partition_key, steps } => {
                self.batch(container, partition_key, steps).await
            }
            Request::Query { container, text, part, page } => {
                self.query(container, text, part, page).await
            }
            Request::ReadChanges { container, part, mode, start, items_max } => {
                self.changes(container, part, *mode, start, *items_max).await
            }
            Request::CreateDatabase { id, throughput } => {
                self.create_database(id, throughput.as_ref()).await
            }
            Request::ReadDatabase { id } => self.read_database(id).await,
            Request::ListDatabases => self.list_databases().await,
            Request::ListContainers { database } => self.list_containers(database).await,
            Request::ReadThroughput { owner } => self.read_throughput(owner).await,
            Request::ReplaceThroughput { owner, throughput } => {
                self.replace_throughput(owner, throughput).await
            }
            Request::CreateContainer { container, properties, throughput } => {
                self.create_container(container, properties, throughput.as_ref()).await
            }
            Request::ReadContainer { container } => self.read_container(container).await,
            Request::ReplaceContainer { container, properties } => {
                self.replace_container(container, properties).await
            }
            Request::FeedRanges { container } => self.feed_ranges(container).await,
        }
    }

    fn is_connected(&self) -> bool {
        false
    }

    fn embedded(&self) -> Option<&Embedded> {
        Some(self)
    }

    async fn close(&self) -> Result<()> {
        self.engine.clone().close().await.map_err(translate)
    }
}

pub(super) fn pattern(etag: &Etag) -> EtagPattern {
    EtagPattern::parse(&etag.to_string())
}
