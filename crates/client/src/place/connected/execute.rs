//! Requests to calls of the library: the one match.

use std::collections::HashMap;

use async_trait::async_trait;
use azure_data_cosmos::clients::ContainerClient;
use azure_data_cosmos::options::{
    BinaryEncodingOptions, ConnectionPoolOptions, ContentResponseOnWrite, OperationOptions,
    ServerCertificateValidation,
};
use azure_data_cosmos::{CosmosClient, CosmosRuntime, RoutingStrategy};
use engine::{ContainerLink, Environment};
use tokio::sync::RwLock;

use crate::call::{Reply, Request};
use crate::error::{ErrorKind, Result};
use crate::place::Place;

use super::endpoint::Endpoint;
use super::error::translate;

/// An account behind an endpoint.
pub(crate) struct Connected {
    pub(super) client: CosmosClient,
    pub(super) environment: Environment,
    containers: RwLock<HashMap<ContainerLink, ContainerClient>>,
}

impl Connected {
    pub(crate) async fn open(endpoint: &Endpoint, environment: Environment) -> Result<Self> {
        let account = endpoint.to_reference()?;
        // A server on this machine has a certificate it made itself; every other one must be trusted.
        let validation = ServerCertificateValidation::RequiredUnlessEmulator;
        let pool = ConnectionPoolOptions::builder()
            .with_server_certificate_validation(validation)
            .build()
            .map_err(translate)?;
        let runtime = CosmosRuntime::builder().with_connection_pool(pool).build().await;
        let client = CosmosClient::builder()
            .with_runtime(runtime.map_err(translate)?)
            .with_binary_encoding_options(BinaryEncodingOptions::new().with_enabled(false))
            // No order of ours: the account says which regions it has.
            .build(account, RoutingStrategy::PreferredRegions(Vec::new()))
            .await
            .map_err(translate)?;
        Ok(Self { client, environment, containers: RwLock::default() })
    }

    /// The library's handle on a container. It asks the account for the partition key once, so handles are kept.
    pub(super) async fn container(&self, link: &ContainerLink) -> Result<ContainerClient> {
        if let Some(known) = self.containers.read().await.get(link) {
            return Ok(known.clone());
        }
        let database = self.client.database_client(link.database.to_string());
        let client = database.container_client(link.container.to_string(), None).await;
        let client = client.map_err(translate)?;
        self.containers.write().await.insert(link.clone(), client.clone());
        Ok(client)
    }

    async fn forget(&self, link: &ContainerLink) {
        self.containers.write().await.remove(link);
    }
}

#[async_trait]
impl Place for Connected {
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
            Request::ReadContainer { container } => {
                let read = self.read_container(container).await;
                if read.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
                    self.forget(container).await;
                }
                read
            }
            Request::ReplaceContainer { container, properties } => {
                self.replace_container(container, properties).await
            }
            Request::FeedRanges { container } => self.feed_ranges(container).await,
        }
    }

    fn is_connected(&self) -> bool {
        true
    }

    async fn close(&self) -> Result<()> {
        self.containers.write().await.clear();
        Ok(())
    }
}

/// Written items are sent back: callers get the item as stored, as they do embedded.
pub(super) fn with_content() -> OperationOptions {
    let mut options = OperationOptions::default();
    options.content_response_on_write = Some(ContentResponseOnWrite::Enabled);
    options
}
