//! Map requests to operations of the engine.
//!
//! Owns the metadata of responses, and reads. Writes, batches, feeds and the catalog have their own files.

use std::sync::Arc;

use async_trait::async_trait;
use engine::operation::{ReadItem, ReadManyItems, ReadOptions};
use engine::response::ReadResult;
use engine::{ContainerLink, Engine, Response};
use model::{EtagPattern, ItemId, PartitionKey, Precondition};

use crate::backend::Backend;
use crate::error::Result;
use crate::request::{BackendRequest, BackendResponse, ItemAddress, ResponseBody};
use crate::response::{ActivityId, ClientSessionToken, EntityTag};

use super::translate;

/// The engine in this process.
#[derive(Debug)]
pub(crate) struct EmbeddedBackend {
    pub(super) engine: Engine,
}

impl EmbeddedBackend {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// The response of an operation, with its metadata.
    pub(super) fn response<T>(
        &self,
        outcome: Response<T>,
        body: impl FnOnce(T) -> (ResponseBody, Option<EntityTag>),
    ) -> BackendResponse {
        let (body, etag) = body(outcome.value);
        BackendResponse {
            body,
            charge: outcome.charge.as_f64(),
            etag,
            session_token: outcome.session_token.map(ClientSessionToken::embedded),
            activity_id: ActivityId::random(self.engine.environment()),
        }
    }

    async fn read(
        &self,
        address: ItemAddress,
        session_token: Option<&ClientSessionToken>,
        if_none_match: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let read = ReadItem {
            // Cloned only if the caller keeps the request for a retry.
            container: Arc::unwrap_or_clone(address.container),
            partition_key: address.partition_key,
            id: address.id,
            options: ReadOptions {
                session_token: session_token.map(ClientSessionToken::to_embedded).transpose()?,
                precondition: if_none_match.map(|etag| Precondition::IfNoneMatch(pattern(etag))),
                ..ReadOptions::default()
            },
        };
        self.read_item(read).await
    }

    /// A point read without a request.
    pub(crate) async fn read_item(&self, read: ReadItem) -> Result<BackendResponse> {
        let outcome = self.engine.read_item(read).await.map_err(translate)?;
        Ok(self.response(outcome, |answer| match answer {
            ReadResult::Found(item) => {
                let etag = EntityTag::embedded(item.etag());
                (ResponseBody::Item(item.into_text()), Some(etag))
            }
            ReadResult::NotModified(etag) => {
                (ResponseBody::NotModified, Some(EntityTag::embedded(etag)))
            }
        }))
    }

    async fn read_many(
        &self,
        container: &ContainerLink,
        items: Vec<(PartitionKey, ItemId)>,
        session_token: Option<&ClientSessionToken>,
    ) -> Result<BackendResponse> {
        let session_token = session_token.map(ClientSessionToken::to_embedded).transpose()?;
        let read = ReadManyItems {
            container: container.clone(),
            items,
            options: ReadOptions { session_token, ..ReadOptions::default() },
        };
        let outcome = self.engine.read_many_items(read).await.map_err(translate)?;
        Ok(self.response(outcome, |items| {
            (
                ResponseBody::Items(
                    items.into_iter().map(engine::ItemResource::into_text).collect(),
                ),
                None,
            )
        }))
    }
}

#[async_trait]
impl Backend for EmbeddedBackend {
    async fn execute(&self, request: BackendRequest) -> Result<BackendResponse> {
        match request {
            BackendRequest::Read { address, session_token, if_none_match } => {
                self.read(address, session_token.as_ref(), if_none_match.as_ref()).await
            }
            BackendRequest::ReadMany { container, items, session_token } => {
                self.read_many(&container, items, session_token.as_ref()).await
            }
            BackendRequest::Create { address, item } => self.create(address, item).await,
            BackendRequest::Replace { address, item, etag } => {
                self.replace(address, item, etag.as_ref()).await
            }
            BackendRequest::Upsert { address, item, etag } => {
                self.upsert(address, item, etag.as_ref()).await
            }
            BackendRequest::Patch { address, patch, etag } => {
                self.patch(address, patch, etag.as_ref()).await
            }
            BackendRequest::Delete { address, etag } => self.delete(address, etag.as_ref()).await,
            BackendRequest::DeletePartition { container, partition_key } => {
                self.delete_partition(&container, partition_key).await
            }
            BackendRequest::Batch { container, partition_key, entries } => {
                self.batch(&container, partition_key, entries).await
            }
            BackendRequest::Query { container, text, scope, page } => {
                self.query(&container, &text, scope, page).await
            }
            BackendRequest::ReadChanges { container, feed_range, mode, start, items_max } => {
                self.changes(&container, feed_range, mode, start, items_max).await
            }
            BackendRequest::CreateDatabase { id, throughput } => {
                self.create_database(id, throughput).await
            }
            BackendRequest::ReadDatabase { id } => self.read_database(&id).await,
            BackendRequest::ListDatabases => self.list_databases().await,
            BackendRequest::ListContainers { database } => self.list_containers(&database).await,
            BackendRequest::ReadThroughput { owner } => self.read_throughput(&owner).await,
            BackendRequest::ReplaceThroughput { owner, throughput } => {
                self.replace_throughput(&owner, throughput).await
            }
            BackendRequest::CreateContainer { container, properties, throughput } => {
                self.create_container(&container, *properties, throughput).await
            }
            BackendRequest::ReadContainer { container } => self.read_container(&container).await,
            BackendRequest::ReplaceContainer { container, properties } => {
                self.replace_container(&container, *properties).await
            }
            BackendRequest::FeedRanges { container } => self.feed_ranges(&container).await,
        }
    }

    fn is_connected(&self) -> bool {
        false
    }

    fn as_embedded(&self) -> Option<&EmbeddedBackend> {
        Some(self)
    }

    async fn close(&self) -> Result<()> {
        // Closing takes an engine by value; clones share it, so this closes it for all of them.
        self.engine.clone().close().await.map_err(translate)
    }
}

pub(super) fn pattern(etag: &EntityTag) -> EtagPattern {
    EtagPattern::parse(&etag.to_string())
}
