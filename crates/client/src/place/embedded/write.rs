//! Writes of single items on the engine.

use engine::operation::{
    CreateItem, DeleteByPartitionKey, DeleteItem, PatchItem, ReplaceItem, UpsertItem, WriteOptions,
};
use engine::{ContainerLink, Item};
use model::{Json, PartitionKey, Patch, Precondition};

use crate::answer::Etag;
use crate::call::{At, Body, Reply};
use crate::error::Result;

use super::execute::pattern;
use super::{Embedded, translate};

impl Embedded {
    pub(super) async fn create(&self, at: &At, item: &Json) -> Result<Reply> {
        let create = CreateItem {
            container: (*at.container).clone(),
            partition_key: Some(at.partition_key.clone()),
            item: item.clone().into(),
            options: WriteOptions::default(),
        };
        let outcome = self.engine.create_item(create).await.map_err(translate)?;
        Ok(self.reply(outcome, item_body))
    }

    pub(super) async fn replace(&self, at: &At, item: &Json, etag: Option<&Etag>) -> Result<Reply> {
        let replace = ReplaceItem {
            container: (*at.container).clone(),
            partition_key: Some(at.partition_key.clone()),
            id: at.id.clone(),
            item: item.clone().into(),
            options: options(etag),
        };
        let outcome = self.engine.replace_item(replace).await.map_err(translate)?;
        Ok(self.reply(outcome, item_body))
    }

    pub(super) async fn upsert(&self, at: &At, item: &Json, etag: Option<&Etag>) -> Result<Reply> {
        let upsert = UpsertItem {
            container: (*at.container).clone(),
            partition_key: Some(at.partition_key.clone()),
            item: item.clone().into(),
            options: options(etag),
        };
        let outcome = self.engine.upsert_item(upsert).await.map_err(translate)?;
        Ok(self.reply(outcome, |upserted| item_body(upserted.item().clone())))
    }

    pub(super) async fn patch(&self, at: &At, patch: &Patch, etag: Option<&Etag>) -> Result<Reply> {
        let patch = PatchItem {
            container: (*at.container).clone(),
            partition_key: at.partition_key.clone(),
            id: at.id.clone(),
            patch: patch.clone(),
            options: options(etag),
        };
        let outcome = self.engine.patch_item(patch).await.map_err(translate)?;
        Ok(self.reply(outcome, item_body))
    }

    pub(super) async fn delete(&self, at: &At, etag: Option<&Etag>) -> Result<Reply> {
        let delete = DeleteItem {
            container: (*at.container).clone(),
            partition_key: at.partition_key.clone(),
            id: at.id.clone(),
            options: options(etag),
        };
        let outcome = self.engine.delete_item(delete).await.map_err(translate)?;
        Ok(self.reply(outcome, |_| (Body::Nothing, None)))
    }

    pub(super) async fn delete_partition(
        &self,
        container: &ContainerLink,
        partition_key: &PartitionKey,
    ) -> Result<Reply> {
        let delete = DeleteByPartitionKey {
            container: container.clone(),
            partition_key: partition_key.clone(),
        };
        let outcome = self.engine.delete_by_partition_key(delete).await.map_err(translate)?;
        Ok(self.reply(outcome, |count| (Body::Count(count), None)))
    }
}

pub(super) fn options(etag: Option<&Etag>) -> WriteOptions {
    let precondition = etag.map(|etag| Precondition::IfMatch(pattern(etag)));
    WriteOptions { precondition, ..WriteOptions::default() }
}

fn item_body(item: Item) -> (Body, Option<Etag>) {
    let etag = Etag::embedded(item.etag());
    (Body::Item(item.into_text()), Some(etag))
}
