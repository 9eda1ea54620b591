//! Databases and containers through the library.

use azure_data_cosmos::models::ContainerProperties as LibraryProperties;
use azure_data_cosmos::models::ThroughputProperties;
use azure_data_cosmos::options::CreateContainerOptions;
use engine::ContainerLink;
use model::{ContainerProperties, DatabaseId, FeedRange, Json, Throughput};

use crate::call::{Body, Reply};
use crate::error::{Error, Result};

use super::Connected;
use super::error::translate;
use super::reply::{container_reply, reply};

impl Connected {
    pub(super) async fn create_database(
        &self,
        id: &DatabaseId,
        throughput: Option<&Throughput>,
    ) -> Result<Reply> {
        if throughput.is_some() {
            return Err(Error::unsupported(format!(
                "the library cannot give database '{id}' throughput of its own; give it to the containers, or create \
                 the database beforehand"
            )));
        }
        let created = self.client.create_database(id.as_str(), None).await;
        let created = created.map_err(translate)?;
        Ok(reply(created.headers(), Body::Nothing, &self.environment))
    }

    pub(super) async fn read_database(&self, id: &DatabaseId) -> Result<Reply> {
        let database = self.client.database_client(id.to_string());
        let read = database.read(None).await.map_err(translate)?;
        Ok(reply(read.headers(), Body::Nothing, &self.environment))
    }

    pub(super) async fn create_container(
        &self,
        container: &ContainerLink,
        properties: &ContainerProperties,
        throughput: Option<&Throughput>,
    ) -> Result<Reply> {
        let mut options = CreateContainerOptions::default();
        if let Some(throughput) = throughput {
            options = options.with_throughput(library_throughput(throughput));
        }
        let database = self.client.database_client(container.database.to_string());
        let properties = library_properties(properties)?;
        let created = database.create_container(properties, Some(options)).await;
        container_reply(created.map_err(translate)?, &self.environment)
    }

    pub(super) async fn read_container(&self, container: &ContainerLink) -> Result<Reply> {
        let client = self.container(container).await?;
        let read = client.read(None).await.map_err(translate)?;
        container_reply(read, &self.environment)
    }

    pub(super) async fn replace_container(
        &self,
        container: &ContainerLink,
        properties: &ContainerProperties,
    ) -> Result<Reply> {
        let client = self.container(container).await?;
        let replaced = client.replace(library_properties(properties)?, None).await;
        container_reply(replaced.map_err(translate)?, &self.environment)
    }

    pub(super) async fn feed_ranges(&self, container: &ContainerLink) -> Result<Reply> {
        let client = self.container(container).await?;
        let ranges = client.read_feed_ranges(None).await.map_err(translate)?;
        let ours = ranges.iter().map(|range| Ok(FeedRange::parse(&range.to_string())?));
        let body = Body::FeedRanges(ours.collect::<Result<_>>()?);
        Ok(Reply { body, ..self.empty_reply() })
    }
}

/// Our properties as the library's. What the library would not send on is an error, never left out silently.
fn library_properties(properties: &ContainerProperties) -> Result<LibraryProperties> {
    let ours = properties.to_json();
    let parsed: LibraryProperties = serde_json::from_slice(&ours.to_bytes()).map_err(|error| {
        Error::unsupported("the library cannot send these container properties").with_source(error)
    })?;
    let sent = serde_json::to_vec(&parsed).map_err(|error| {
        Error::unexpected("the library cannot print container properties").with_source(error)
    })?;
    let sent = Json::parse(&sent).map_err(|error| {
        Error::unexpected("the library printed container properties wrongly").with_source(error)
    })?;
    match ours
        .as_object()
        .into_iter()
        .flat_map(|ours| ours.iter())
        .find(|(name, value)| sent.get(name).is_none() && **value != Json::Null)
    {
        None => Ok(parsed),
        Some((name, _)) => Err(Error::unsupported(format!(
            "the library cannot send the container property '{name}'"
        ))),
    }
}

fn library_throughput(throughput: &Throughput) -> ThroughputProperties {
    match throughput {
        Throughput::Manual(per_second) => ThroughputProperties::manual(u64::from(*per_second)),
        Throughput::Autoscale { maximum, increment_percent } => {
            ThroughputProperties::autoscale(u64::from(*maximum), *increment_percent)
        }
    }
}
