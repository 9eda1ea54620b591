//! Writes of single items on the engine.

use std::sync::Arc;

use engine::operation::{
    CreateItem, DeleteByPartitionKey, DeleteItem, PatchItem, ReplaceItem, UpsertItem, WriteOptions,
};
use engine::{ContainerLink, ItemResource};
use model::{Json, PartitionKey, Patch, Precondition};

use crate::error::Result;
use crate::request::{BackendResponse, ItemAddress, ResponseBody};
use crate::response::EntityTag;

use super::execute::pattern;
use super::{EmbeddedBackend, translate};

impl EmbeddedBackend {
    pub(super) async fn create(&self, address: ItemAddress, item: Json) -> Result<BackendResponse> {
        let create = CreateItem {
            container: Arc::unwrap_or_clone(address.container),
            partition_key: Some(address.partition_key),
            item: item.into(),
            options: WriteOptions::default(),
        };
        let outcome = self.engine.create_item(create).await.map_err(translate)?;
        Ok(self.response(outcome, item_body))
    }

    pub(super) async fn replace(
        &self,
        address: ItemAddress,
        item: Json,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let replace = ReplaceItem {
            container: Arc::unwrap_or_clone(address.container),
            partition_key: Some(address.partition_key),
            id: address.id,
            item: item.into(),
            options: options(etag),
        };
        let outcome = self.engine.replace_item(replace).await.map_err(translate)?;
        Ok(self.response(outcome, item_body))
    }

    pub(super) async fn upsert(
        &self,
        address: ItemAddress,
        item: Json,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let upsert = UpsertItem {
            container: Arc::unwrap_or_clone(address.container),
            partition_key: Some(address.partition_key),
            item: item.into(),
            options: options(etag),
        };
        let outcome = self.engine.upsert_item(upsert).await.map_err(translate)?;
        Ok(self.response(outcome, |upserted| item_body(upserted.item().clone())))
    }

    pub(super) async fn patch(
        &self,
        address: ItemAddress,
        patch: Patch,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let patch = PatchItem {
            container: Arc::unwrap_or_clone(address.container),
            partition_key: address.partition_key,
            id: address.id,
            patch,
            options: options(etag),
        };
        let outcome = self.engine.patch_item(patch).await.map_err(translate)?;
        Ok(self.response(outcome, item_body))
    }

    pub(super) async fn delete(
        &self,
        address: ItemAddress,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let delete = DeleteItem {
            container: Arc::unwrap_or_clone(address.container),
            partition_key: address.partition_key,
            id: address.id,
            options: options(etag),
        };
        let outcome = self.engine.delete_item(delete).await.map_err(translate)?;
        // The deleted version's etag is of no use: no item has it any more.
        Ok(self.response(outcome, |_| (ResponseBody::Nothing, None)))
    }

    pub(super) async fn delete_partition(
        &self,
        container: &ContainerLink,
        partition_key: PartitionKey,
    ) -> Result<BackendResponse> {
        let delete = DeleteByPartitionKey { container: container.clone(), partition_key };
        let outcome = self.engine.delete_by_partition_key(delete).await.map_err(translate)?;
        Ok(self.response(outcome, |count| (ResponseBody::Count(count), None)))
    }
}

pub(super) fn options(etag: Option<&EntityTag>) -> WriteOptions {
    let precondition = etag.map(|etag| Precondition::IfMatch(pattern(etag)));
    WriteOptions { precondition, ..WriteOptions::default() }
}

fn item_body(item: ItemResource) -> (ResponseBody, Option<EntityTag>) {
    let etag = EntityTag::embedded(item.etag());
    (ResponseBody::Item(item.into_text()), Some(etag))
}
