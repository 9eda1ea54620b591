//! Databases and containers on the engine.

use engine::ContainerLink;
use engine::operation::{CreateContainer, CreateDatabase, ReplaceContainer, ThroughputOwner};
use engine::response::{ContainerResource, DatabaseResource};
use model::{ContainerProperties, DatabaseId, DatabaseProperties, FeedRange, Throughput};

use crate::answer::Etag;
use crate::call::{Body, Reply};
use crate::error::Result;

use super::{Embedded, translate};

impl Embedded {
    pub(super) async fn create_database(
        &self,
        id: &DatabaseId,
        throughput: Option<&Throughput>,
    ) -> Result<Reply> {
        let properties = DatabaseProperties { id: id.clone() };
        let create = CreateDatabase { properties, throughput: throughput.cloned() };
        let outcome = self.engine.create_database(create).await.map_err(translate)?;
        Ok(self.reply(outcome, database_body))
    }

    pub(super) async fn read_database(&self, id: &DatabaseId) -> Result<Reply> {
        let outcome = self.engine.read_database(id).await.map_err(translate)?;
        Ok(self.reply(outcome, database_body))
    }

    pub(super) async fn list_databases(&self) -> Result<Reply> {
        let outcome = self.engine.list_databases().await.map_err(translate)?;
        Ok(self.reply(outcome, |databases| {
            let ids = databases.into_iter().map(|database| database.properties.id);
            (Body::Databases(ids.collect()), None)
        }))
    }

    pub(super) async fn list_containers(&self, database: &DatabaseId) -> Result<Reply> {
        let outcome = self.engine.list_containers(database).await.map_err(translate)?;
        Ok(self.reply(outcome, |containers| {
            let properties = containers.into_iter().map(|container| container.properties);
            (Body::Containers(properties.collect()), None)
        }))
    }

    pub(super) async fn read_throughput(&self, owner: &ThroughputOwner) -> Result<Reply> {
        let outcome = self.engine.read_throughput(owner).await.map_err(translate)?;
        Ok(self.reply(outcome, |found| {
            (Body::Throughput(found.map(|resource| resource.throughput)), None)
        }))
    }

    pub(super) async fn replace_throughput(
        &self,
        owner: &ThroughputOwner,
        throughput: &Throughput,
    ) -> Result<Reply> {
        let outcome = self.engine.replace_throughput(owner, *throughput).await;
        let outcome = outcome.map_err(translate)?;
        Ok(self.reply(outcome, |replaced| (Body::Throughput(Some(replaced.throughput)), None)))
    }

    pub(super) async fn create_container(
        &self,
        container: &ContainerLink,
        properties: &ContainerProperties,
        throughput: Option<&Throughput>,
    ) -> Result<Reply> {
        let create = CreateContainer {
            database: container.database.clone(),
            properties: properties.clone(),
            throughput: throughput.cloned(),
        };
        let outcome = self.engine.create_container(create).await.map_err(translate)?;
        Ok(self.reply(outcome, container_body))
    }

    pub(super) async fn read_container(&self, container: &ContainerLink) -> Result<Reply> {
        let outcome = self.engine.read_container(container).await.map_err(translate)?;
        Ok(self.reply(outcome, container_body))
    }

    pub(super) async fn replace_container(
        &self,
        container: &ContainerLink,
        properties: &ContainerProperties,
    ) -> Result<Reply> {
        let replace = ReplaceContainer {
            link: container.clone(),
            properties: properties.clone(),
            precondition: None,
        };
        let outcome = self.engine.replace_container(replace).await.map_err(translate)?;
        Ok(self.reply(outcome, container_body))
    }

    pub(super) async fn feed_ranges(&self, container: &ContainerLink) -> Result<Reply> {
        let outcome = self.engine.list_partitions(container).await.map_err(translate)?;
        Ok(self.reply(outcome, |map| {
            let ranges = map.partitions.into_iter().map(|one| FeedRange::Epk(one.range));
            (Body::FeedRanges(ranges.collect()), None)
        }))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a reply hands its value over")]
fn database_body(database: DatabaseResource) -> (Body, Option<Etag>) {
    (Body::Nothing, Some(Etag::embedded(database.etag)))
}

fn container_body(container: ContainerResource) -> (Body, Option<Etag>) {
    let etag = Etag::embedded(container.etag);
    (Body::Container(Box::new(container.properties)), Some(etag))
}
