//! Databases and containers on the engine.

use engine::ContainerLink;
use engine::operation::{CreateContainer, CreateDatabase, ReplaceContainer, ThroughputOwner};
use engine::response::{ContainerResource, DatabaseResource};
use model::{ContainerProperties, DatabaseId, DatabaseProperties, FeedRange, Throughput};

use crate::error::Result;
use crate::request::{BackendResponse, ResponseBody};
use crate::response::EntityTag;

use super::{EmbeddedBackend, translate};

impl EmbeddedBackend {
    pub(super) async fn create_database(
        &self,
        id: DatabaseId,
        throughput: Option<Throughput>,
    ) -> Result<BackendResponse> {
        let properties = DatabaseProperties { id };
        let create = CreateDatabase { properties, throughput };
        let outcome = self.engine.create_database(create).await.map_err(translate)?;
        Ok(self.response(outcome, database_body))
    }

    pub(super) async fn read_database(&self, id: &DatabaseId) -> Result<BackendResponse> {
        let outcome = self.engine.read_database(id).await.map_err(translate)?;
        Ok(self.response(outcome, database_body))
    }

    pub(super) async fn list_databases(&self) -> Result<BackendResponse> {
        let outcome = self.engine.list_databases().await.map_err(translate)?;
        Ok(self.response(outcome, |databases| {
            let ids = databases.into_iter().map(|database| database.properties.id);
            (ResponseBody::Databases(ids.collect()), None)
        }))
    }

    pub(super) async fn list_containers(&self, database: &DatabaseId) -> Result<BackendResponse> {
        let outcome = self.engine.list_containers(database).await.map_err(translate)?;
        Ok(self.response(outcome, |containers| {
            let properties = containers.into_iter().map(|container| container.properties);
            (ResponseBody::Containers(properties.collect()), None)
        }))
    }

    pub(super) async fn read_throughput(&self, owner: &ThroughputOwner) -> Result<BackendResponse> {
        let outcome = self.engine.read_throughput(owner).await.map_err(translate)?;
        Ok(self.response(outcome, |found| {
            (ResponseBody::Throughput(found.map(|resource| resource.throughput)), None)
        }))
    }

    pub(super) async fn replace_throughput(
        &self,
        owner: &ThroughputOwner,
        throughput: Throughput,
    ) -> Result<BackendResponse> {
        let outcome = self.engine.replace_throughput(owner, throughput).await;
        let outcome = outcome.map_err(translate)?;
        Ok(self.response(outcome, |replaced| {
            (ResponseBody::Throughput(Some(replaced.throughput)), None)
        }))
    }

    pub(super) async fn create_container(
        &self,
        container: &ContainerLink,
        properties: ContainerProperties,
        throughput: Option<Throughput>,
    ) -> Result<BackendResponse> {
        let create =
            CreateContainer { database: container.database.clone(), properties, throughput };
        let outcome = self.engine.create_container(create).await.map_err(translate)?;
        Ok(self.response(outcome, container_body))
    }

    pub(super) async fn read_container(
        &self,
        container: &ContainerLink,
    ) -> Result<BackendResponse> {
        let outcome = self.engine.read_container(container).await.map_err(translate)?;
        Ok(self.response(outcome, container_body))
    }

    pub(super) async fn replace_container(
        &self,
        container: &ContainerLink,
        properties: ContainerProperties,
    ) -> Result<BackendResponse> {
        let replace = ReplaceContainer { link: container.clone(), properties, precondition: None };
        let outcome = self.engine.replace_container(replace).await.map_err(translate)?;
        Ok(self.response(outcome, container_body))
    }

    pub(super) async fn feed_ranges(&self, container: &ContainerLink) -> Result<BackendResponse> {
        let outcome = self.engine.list_partitions(container).await.map_err(translate)?;
        Ok(self.response(outcome, |map| {
            let ranges = map.partitions.into_iter().map(|one| FeedRange::Epk(one.range));
            (ResponseBody::FeedRanges(ranges.collect()), None)
        }))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of a response body")]
fn database_body(database: DatabaseResource) -> (ResponseBody, Option<EntityTag>) {
    (ResponseBody::Nothing, Some(EntityTag::embedded(database.etag)))
}

fn container_body(container: ContainerResource) -> (ResponseBody, Option<EntityTag>) {
    let etag = EntityTag::embedded(container.etag);
    (ResponseBody::Container(Box::new(container.properties)), Some(etag))
}
