//! Single items through the library.

use std::sync::Arc;

use azure_data_cosmos::options::{
    ItemReadOptions, ItemWriteOptions, Precondition, SessionToken as Token,
};
use engine::ContainerLink;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use model::{ItemId, Json, PartitionKey};

use crate::answer::{Etag, SessionToken};
use crate::call::{At, BatchStep, Body, Part, Reply};
use crate::error::{Error, ErrorKind, Result};
use crate::query::{PageOptions, Query};

use super::Connected;
use super::error::translate;
use super::execute::with_content;
use super::reply::item_reply;
use super::translate::{partition_key, raw};

/// Point reads on their way at a time.
const READS_AT_A_TIME: usize = 16;

/// Operations of a transactional batch at most.
const BATCH_OPERATIONS_MAX: usize = 100;

impl Connected {
    pub(super) async fn read(
        &self,
        at: &At,
        session_token: Option<&SessionToken>,
        unless: Option<&Etag>,
    ) -> Result<Reply> {
        let mut options = ItemReadOptions::default();
        if let Some(token) = session_token {
            options = options.with_session_token(Token::from(token.to_string()));
        }
        if let Some(etag) = unless {
            options = options.with_precondition(Precondition::if_none_match(etag.to_string()));
        }
        let container = self.container(&at.container).await?;
        let key = partition_key(&at.partition_key)?;
        let read = container.read_item(key, at.id.as_str(), Some(options)).await;
        item_reply(read.map_err(translate)?, &self.environment)
    }

    /// Point reads side by side: the library has no call for many.
    pub(super) async fn read_many(
        &self,
        container: &ContainerLink,
        items: &[(PartitionKey, ItemId)],
        session_token: Option<&SessionToken>,
    ) -> Result<Reply> {
        let container = Arc::new(container.clone());
        let names: Vec<At> = items
            .iter()
            .map(|(key, id)| At {
                container: Arc::clone(&container),
                partition_key: key.clone(),
                id: id.clone(),
            })
            .collect();
        let mut reads: Vec<BoxFuture<'_, Result<Reply>>> = Vec::with_capacity(names.len());
        for at in &names {
            reads.push(Box::pin(self.read(at, session_token, None)));
        }
        let replies: Vec<_> =
            futures::stream::iter(reads).buffer_unordered(READS_AT_A_TIME).collect().await;
        let mut texts = Vec::new();
        let mut all = self.empty_reply();
        for reply in replies {
            match reply {
                Ok(reply) => {
                    all.charge += reply.charge;
                    all.session_token = reply.session_token;
                    all.activity_id = reply.activity_id;
                    texts.push(reply.body.into_item()?);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Reply { body: Body::Items(texts), ..all })
    }

    pub(super) async fn create(&self, at: &At, item: &Json) -> Result<Reply> {
        let container = self.container(&at.container).await?;
        let key = partition_key(&at.partition_key)?;
        let created =
            container.create_item(key, at.id.as_str(), raw(item)?, Some(write_options(None))).await;
        item_reply(created.map_err(translate)?, &self.environment)
    }

    pub(super) async fn replace(&self, at: &At, item: &Json, etag: Option<&Etag>) -> Result<Reply> {
        let container = self.container(&at.container).await?;
        let key = partition_key(&at.partition_key)?;
        let replaced = container
            .replace_item(key, at.id.as_str(), raw(item)?, Some(write_options(etag)))
            .await;
        item_reply(replaced.map_err(translate)?, &self.environment)
    }

    pub(super) async fn upsert(&self, at: &At, item: &Json, etag: Option<&Etag>) -> Result<Reply> {
        let container = self.container(&at.container).await?;
        let key = partition_key(&at.partition_key)?;
        let written =
            container.upsert_item(key, at.id.as_str(), raw(item)?, Some(write_options(etag))).await;
        item_reply(written.map_err(translate)?, &self.environment)
    }

    pub(super) async fn delete(&self, at: &At, etag: Option<&Etag>) -> Result<Reply> {
        let container = self.container(&at.container).await?;
        let key = partition_key(&at.partition_key)?;
        let deleted = container.delete_item(key, at.id.as_str(), Some(write_options(etag))).await;
        let reply = item_reply(deleted.map_err(translate)?, &self.environment)?;
        Ok(Reply { body: Body::Nothing, etag: None, ..reply })
    }

    /// The library has no such call: ids are asked for and deleted in batches until there are none.
    pub(super) async fn delete_partition(
        &self,
        container: &ContainerLink,
        key: &PartitionKey,
    ) -> Result<Reply> {
        let ids = Query::text("SELECT VALUE c.id FROM c");
        let part = Part::PartitionKey(key.clone());
        let page = PageOptions { rows_max: Some(BATCH_OPERATIONS_MAX), ..PageOptions::default() };
        let mut all = self.empty_reply();
        let mut count = 0;
        loop {
            // From the beginning each time: what was found before is gone.
            let reply = self.query(container, &ids, &part, &page).await?;
            all.charge += reply.charge;
            let Body::Rows { rows, continuation } = reply.body else { break };
            if rows.is_empty() && continuation.is_none() {
                break;
            }
            let steps = rows.iter().map(|row| delete_step(row)).collect::<Result<Vec<_>>>()?;
            for steps in steps.chunks(BATCH_OPERATIONS_MAX) {
                match self.batch(container, key, steps).await {
                    Ok(reply) => {
                        count += u64::try_from(steps.len()).unwrap_or_default();
                        all.charge += reply.charge;
                        all.session_token = reply.session_token;
                    }
                    // Somebody else deleted one of them meanwhile: ask again.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(Reply { body: Body::Count(count), ..all })
    }

    pub(super) fn empty_reply(&self) -> Reply {
        Reply {
            body: Body::Nothing,
            charge: 0.0,
            etag: None,
            session_token: None,
            activity_id: crate::answer::ActivityId::random(&self.environment),
        }
    }
}

fn delete_step(row: &[u8]) -> Result<BatchStep> {
    let id: String = serde_json::from_slice(row).map_err(|error| {
        Error::unexpected("the account answered an id that is no string").with_source(error)
    })?;
    Ok(BatchStep::Delete { id: ItemId::new(id)?, etag: None })
}

fn write_options(etag: Option<&Etag>) -> ItemWriteOptions {
    let options = ItemWriteOptions::default().with_operation_options(with_content());
    match etag {
        Some(etag) => options.with_precondition(Precondition::if_match(etag.to_string())),
        None => options,
    }
}
