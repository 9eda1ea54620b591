//! Databases and containers through the SDK.

use std::collections::HashMap;

use azure_data_cosmos::options::{CreateContainerOptions, CreateDatabaseOptions, OperationOptions};
use engine::ContainerLink;
use futures::TryStreamExt as _;
use model::{ContainerProperties, DatabaseId, FeedRange, Throughput};

use crate::error::{Error, Result};
use crate::request::{BackendResponse, ResponseBody};

use super::ConnectedBackend;
use super::error::translate;
use super::properties::library_properties;
use super::response::{container_response, metadata_response};
use super::throughput::{library_throughput, throughput_header};

impl ConnectedBackend {
    pub(super) async fn create_database(
        &self,
        id: &DatabaseId,
        throughput: Option<&Throughput>,
    ) -> Result<BackendResponse> {
        let options = throughput.map(|throughput| {
            let mut operation = OperationOptions::default();
            // The library has no option for the throughput of a database, so its header is given by name.
            operation.custom_headers = Some(HashMap::from([throughput_header(throughput)]));
            CreateDatabaseOptions::default().with_operation_options(operation)
        });
        let created = self.client.create_database(id.as_str(), options).await;
        let created = created.map_err(translate)?;
        Ok(metadata_response(created.headers(), ResponseBody::Nothing, &self.environment))
    }

    pub(super) async fn read_database(&self, id: &DatabaseId) -> Result<BackendResponse> {
        let database = self.client.database_client(id.to_string());
        let read = database.read(None).await.map_err(translate)?;
        Ok(metadata_response(read.headers(), ResponseBody::Nothing, &self.environment))
    }

    pub(super) async fn list_databases(&self) -> Result<BackendResponse> {
        let found = self.client.query_databases("SELECT * FROM c", None).await;
        let found: Vec<_> = found.map_err(translate)?.try_collect().await.map_err(translate)?;
        let ids = found.into_iter().map(|database| {
            let id = database.id.ok_or_else(|| Error::unexpected("a database has no id"))?;
            Ok(DatabaseId::new(id)?)
        });
        let mut ids = ids.collect::<Result<Vec<_>>>()?;
        // As the embedded account returns them, so that callers see one order.
        ids.sort();
        Ok(BackendResponse {
            body: ResponseBody::Databases(ids),
            ..BackendResponse::empty(&self.environment)
        })
    }

    /// The SDK drops unknown properties of listed containers, so each container is read once more.
    pub(super) async fn list_containers(&self, database: &DatabaseId) -> Result<BackendResponse> {
        let client = self.client.database_client(database.to_string());
        let found = client.query_containers("SELECT * FROM c", None).await;
        let found: Vec<_> = found.map_err(translate)?.try_collect().await.map_err(translate)?;
        let mut listed = Vec::new();
        let mut charge = 0.0;
        for container in found {
            let link = ContainerLink::new(database.as_str(), &container.id)?;
            let response = self.read_container(&link).await?;
            charge += response.charge;
            listed.push(response.body.into_container()?);
        }
        listed.sort_by(|left, right| left.id.cmp(&right.id));
        Ok(BackendResponse {
            body: ResponseBody::Containers(listed),
            charge,
            ..BackendResponse::empty(&self.environment)
        })
    }

    pub(super) async fn create_container(
        &self,
        container: &ContainerLink,
        properties: &ContainerProperties,
        throughput: Option<&Throughput>,
    ) -> Result<BackendResponse> {
        let mut options = CreateContainerOptions::default();
        if let Some(throughput) = throughput {
            options = options.with_throughput(library_throughput(throughput));
        }
        let database = self.client.database_client(container.database.to_string());
        let properties = library_properties(properties)?;
        let created = database.create_container(properties, Some(options)).await;
        container_response(created.map_err(translate)?, &self.environment)
    }

    pub(super) async fn read_container(
        &self,
        container: &ContainerLink,
    ) -> Result<BackendResponse> {
        let client = self.container(container).await?;
        let read = client.read(None).await.map_err(translate)?;
        container_response(read, &self.environment)
    }

    pub(super) async fn replace_container(
        &self,
        container: &ContainerLink,
        properties: &ContainerProperties,
    ) -> Result<BackendResponse> {
        let client = self.container(container).await?;
        let replaced = client.replace(library_properties(properties)?, None).await;
        container_response(replaced.map_err(translate)?, &self.environment)
    }

    pub(super) async fn feed_ranges(&self, container: &ContainerLink) -> Result<BackendResponse> {
        let client = self.container(container).await?;
        let ranges = client.read_feed_ranges(None).await.map_err(translate)?;
        let ours = ranges.iter().map(|range| Ok(FeedRange::parse(&range.to_string())?));
        let body = ResponseBody::FeedRanges(ours.collect::<Result<_>>()?);
        Ok(BackendResponse { body, ..BackendResponse::empty(&self.environment) })
    }
}
