//! Single items through the SDK.

use std::sync::Arc;

use azure_data_cosmos::options::{
    ItemReadOptions, ItemWriteOptions, Precondition, SessionToken as Token,
};
use engine::ContainerLink;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use model::{ItemId, Json, PartitionKey};

use crate::error::{Error, ErrorKind, Result};
use crate::item::BatchItemOperation;
use crate::query::{Query, QueryPageOptions, QueryScope};
use crate::request::{BackendResponse, ItemAddress, ResponseBody};
use crate::response::{ClientSessionToken, EntityTag};

use super::ConnectedBackend;
use super::convert::{partition_key, raw};
use super::error::translate;
use super::execute::with_content;
use super::response::item_response;

/// Concurrent point reads.
const CONCURRENT_READS: usize = 16;

/// Maximum operations of a transactional batch.
const BATCH_OPERATIONS_MAX: usize = 100;

impl ConnectedBackend {
    pub(super) async fn read(
        &self,
        address: &ItemAddress,
        session_token: Option<&ClientSessionToken>,
        if_none_match: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let mut options = ItemReadOptions::default();
        if let Some(token) = session_token {
            options = options.with_session_token(Token::from(token.to_string()));
        }
        if let Some(etag) = if_none_match {
            options = options.with_precondition(Precondition::if_none_match(etag.to_string()));
        }
        let container = self.container(&address.container).await?;
        let key = partition_key(&address.partition_key)?;
        let read = container.read_item(key, address.id.as_str(), Some(options)).await;
        item_response(read.map_err(translate)?, &self.environment)
    }

    /// Concurrent point reads: the SDK has no call for several items.
    pub(super) async fn read_many(
        &self,
        container: &ContainerLink,
        items: &[(PartitionKey, ItemId)],
        session_token: Option<&ClientSessionToken>,
    ) -> Result<BackendResponse> {
        let container = Arc::new(container.clone());
        let addresses: Vec<ItemAddress> = items
            .iter()
            .map(|(key, id)| ItemAddress {
                container: Arc::clone(&container),
                partition_key: key.clone(),
                id: id.clone(),
            })
            .collect();
        let mut reads: Vec<BoxFuture<'_, Result<BackendResponse>>> =
            Vec::with_capacity(addresses.len());
        for address in &addresses {
            // Futures do nothing until they are polled, so collecting them starts no request.
            reads.push(Box::pin(self.read(address, session_token, None)));
        }
        let results: Vec<_> =
            futures::stream::iter(reads).buffer_unordered(CONCURRENT_READS).collect().await;
        let mut texts = Vec::new();
        let mut all = BackendResponse::empty(&self.environment);
        for result in results {
            match result {
                Ok(response) => {
                    all.charge += response.charge;
                    all.session_token = response.session_token;
                    all.activity_id = response.activity_id;
                    texts.push(response.body.into_item()?);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(BackendResponse { body: ResponseBody::Items(texts), ..all })
    }

    pub(super) async fn create(
        &self,
        address: &ItemAddress,
        item: &Json,
    ) -> Result<BackendResponse> {
        let container = self.container(&address.container).await?;
        let key = partition_key(&address.partition_key)?;
        let created = container
            .create_item(key, address.id.as_str(), raw(item)?, Some(write_options(None)))
            .await;
        item_response(created.map_err(translate)?, &self.environment)
    }

    pub(super) async fn replace(
        &self,
        address: &ItemAddress,
        item: &Json,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let container = self.container(&address.container).await?;
        let key = partition_key(&address.partition_key)?;
        let replaced = container
            .replace_item(key, address.id.as_str(), raw(item)?, Some(write_options(etag)))
            .await;
        item_response(replaced.map_err(translate)?, &self.environment)
    }

    pub(super) async fn upsert(
        &self,
        address: &ItemAddress,
        item: &Json,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let container = self.container(&address.container).await?;
        let key = partition_key(&address.partition_key)?;
        let written = container
            .upsert_item(key, address.id.as_str(), raw(item)?, Some(write_options(etag)))
            .await;
        item_response(written.map_err(translate)?, &self.environment)
    }

    pub(super) async fn delete(
        &self,
        address: &ItemAddress,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let container = self.container(&address.container).await?;
        let key = partition_key(&address.partition_key)?;
        let deleted =
            container.delete_item(key, address.id.as_str(), Some(write_options(etag))).await;
        let response = item_response(deleted.map_err(translate)?, &self.environment)?;
        Ok(BackendResponse { body: ResponseBody::Nothing, etag: None, ..response })
    }

    /// The SDK has no such call: ids are queried and deleted in batches until there are none left.
    pub(super) async fn delete_partition(
        &self,
        container: &ContainerLink,
        key: &PartitionKey,
    ) -> Result<BackendResponse> {
        let ids = Query::text("SELECT VALUE c.id FROM c");
        let scope = QueryScope::PartitionKey(key.clone());
        let page = QueryPageOptions {
            rows_max: Some(BATCH_OPERATIONS_MAX),
            ..QueryPageOptions::default()
        };
        let mut all = BackendResponse::empty(&self.environment);
        let mut count = 0;
        loop {
            // Start from the beginning each time: the items found before are deleted.
            let response = self.query(container, &ids, &scope, &page).await?;
            all.charge += response.charge;
            let ResponseBody::Rows { rows, continuation } = response.body else { break };
            // A page may be empty before the end.
            if rows.is_empty() && continuation.is_none() {
                break;
            }
            let entries = rows.iter().map(|row| delete_entry(row)).collect::<Result<Vec<_>>>()?;
            for entries in entries.chunks(BATCH_OPERATIONS_MAX) {
                match self.batch(container, key, entries).await {
                    Ok(response) => {
                        count += u64::try_from(entries.len()).unwrap_or_default();
                        all.charge += response.charge;
                        all.session_token = response.session_token;
                    }
                    // Somebody else deleted one of them in the meantime: query again.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(BackendResponse { body: ResponseBody::Count(count), ..all })
    }
}

fn delete_entry(row: &[u8]) -> Result<BatchItemOperation> {
    let id: String = serde_json::from_slice(row).map_err(|error| {
        Error::unexpected("the account returned an id that is not a string").caused_by(&error)
    })?;
    Ok(BatchItemOperation::Delete { id: ItemId::new(id)?, etag: None })
}

fn write_options(etag: Option<&EntityTag>) -> ItemWriteOptions {
    let options = ItemWriteOptions::default().with_operation_options(with_content());
    match etag {
        Some(etag) => options.with_precondition(Precondition::if_match(etag.to_string())),
        None => options,
    }
}
