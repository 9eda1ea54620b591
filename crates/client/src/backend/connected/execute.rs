//! Map requests to calls of the SDK.

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

use crate::backend::Backend;
use crate::error::{ErrorKind, Result};
use crate::request::{BackendRequest, BackendResponse};

use super::endpoint::Endpoint;
use super::error::translate;

/// An account behind an endpoint.
pub(crate) struct ConnectedBackend {
    pub(super) client: CosmosClient,
    pub(super) environment: Environment,
    containers: RwLock<HashMap<ContainerLink, ContainerClient>>,
}

impl ConnectedBackend {
    pub(crate) async fn open(endpoint: &Endpoint, environment: Environment) -> Result<Self> {
        let account = endpoint.to_reference()?;
        // A server on this machine has a self-signed certificate. All others must be trusted.
        let validation = ServerCertificateValidation::RequiredUnlessEmulator;
        let pool = ConnectionPoolOptions::builder()
            .with_server_certificate_validation(validation)
            .build()
            .map_err(translate)?;
        let runtime = CosmosRuntime::builder().with_connection_pool(pool).build().await;
        let client = CosmosClient::builder()
            .with_runtime(runtime.map_err(translate)?)
            // Responses are handed on as text, and an item must come back as it was stored.
            .with_binary_encoding_options(BinaryEncodingOptions::new().with_enabled(false))
            // No preferred regions: the account reports which regions it has.
            .build(account, RoutingStrategy::PreferredRegions(Vec::new()))
            .await
            .map_err(translate)?;
        Ok(Self { client, environment, containers: RwLock::default() })
    }

    /// The SDK's client of a container, cached: creating one reads the partition key from the account.
    pub(super) async fn container(&self, link: &ContainerLink) -> Result<ContainerClient> {
        if let Some(client) = self.containers.read().await.get(link) {
            return Ok(client.clone());
        }
        let database = self.client.database_client(link.database.to_string());
        let client = database.container_client(link.container.to_string(), None).await;
        let client = client.map_err(translate)?;
        // Two callers may create it at once; the second replaces an equal one.
        self.containers.write().await.insert(link.clone(), client.clone());
        Ok(client)
    }

    async fn remove_cached(&self, link: &ContainerLink) {
        self.containers.write().await.remove(link);
    }
}

#[async_trait]
impl Backend for ConnectedBackend {
    async fn execute(&self, request: BackendRequest) -> Result<BackendResponse> {
        match &request {
            BackendRequest::Read { address, session_token, if_none_match } => {
                self.read(address, session_token.as_ref(), if_none_match.as_ref()).await
            }
            BackendRequest::ReadMany { container, items, session_token } => {
                self.read_many(container, items, session_token.as_ref()).await
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
                self.delete_partition(container, partition_key).await
            }
            BackendRequest::Batch { container, partition_key, entries } => {
                self.batch(container, partition_key, entries).await
            }
            BackendRequest::Query { container, text, scope, page } => {
                self.query(container, text, scope, page).await
            }
            BackendRequest::ReadChanges { container, feed_range, mode, start, items_max } => {
                self.changes(container, feed_range, *mode, start, *items_max).await
            }
            BackendRequest::CreateDatabase { id, throughput } => {
                self.create_database(id, throughput.as_ref()).await
            }
            BackendRequest::ReadDatabase { id } => self.read_database(id).await,
            BackendRequest::ListDatabases => self.list_databases().await,
            BackendRequest::ListContainers { database } => self.list_containers(database).await,
            BackendRequest::ReadThroughput { owner } => self.read_throughput(owner).await,
            BackendRequest::ReplaceThroughput { owner, throughput } => {
                self.replace_throughput(owner, throughput).await
            }
            BackendRequest::CreateContainer { container, properties, throughput } => {
                self.create_container(container, properties, throughput.as_ref()).await
            }
            BackendRequest::ReadContainer { container } => {
                let read = self.read_container(container).await;
                if read.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
                    // The container was deleted. Created again it may have another partition key, which the cached
                    // client would not know.
                    self.remove_cached(container).await;
                }
                read
            }
            BackendRequest::ReplaceContainer { container, properties } => {
                self.replace_container(container, properties).await
            }
            BackendRequest::FeedRanges { container } => self.feed_ranges(container).await,
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

/// Asks the account to return written items, as an embedded account does.
pub(super) fn with_content() -> OperationOptions {
    let mut options = OperationOptions::default();
    options.content_response_on_write = Some(ContentResponseOnWrite::Enabled);
    options
}
