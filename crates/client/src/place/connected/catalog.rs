//! Databases and containers through the library.

use azure_data_cosmos::options::CreateContainerOptions;
use engine::ContainerLink;
use futures::TryStreamExt as _;
use model::{ContainerProperties, DatabaseId, FeedRange, Throughput};

use crate::call::{Body, Reply};
use crate::error::{Error, Result};

use super::Connected;
use super::error::translate;
use super::properties::library_properties;
use super::reply::{container_reply, reply};
use super::throughput::library_throughput;

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

    pub(super) async fn list_databases(&self) -> Result<Reply> {
        let found = self.client.query_databases("SELECT * FROM c", None).await;
        let found: Vec<_> = found.map_err(translate)?.try_collect().await.map_err(translate)?;
        let ids = found.into_iter().map(|database| {
            let id = database.id.ok_or_else(|| Error::unexpected("a database has no id"))?;
            Ok(DatabaseId::new(id)?)
        });
        let mut ids = ids.collect::<Result<Vec<_>>>()?;
        ids.sort();
        Ok(Reply { body: Body::Databases(ids), ..self.empty_reply() })
    }

    /// The library drops what it does not know of a container it lists, so each is read once more.
    pub(super) async fn list_containers(&self, database: &DatabaseId) -> Result<Reply> {
        let client = self.client.database_client(database.to_string());
        let found = client.query_containers("SELECT * FROM c", None).await;
        let found: Vec<_> = found.map_err(translate)?.try_collect().await.map_err(translate)?;
        let mut listed = Vec::new();
        let mut charge = 0.0;
        for container in found {
            let link = ContainerLink::new(database.as_str(), &container.id)?;
            let reply = self.read_container(&link).await?;
            charge += reply.charge;
            listed.push(reply.body.into_container()?);
        }
        listed.sort_by(|left, right| left.id.cmp(&right.id));
        Ok(Reply { body: Body::Containers(listed), charge, ..self.empty_reply() })
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
