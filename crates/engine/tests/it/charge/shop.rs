//! Shared by the charge tests: items of exact sizes, and operations that return their charge.

use engine::change_feed::{ChangeFeedMode, ChangeFeedPage, ChangeFeedStart, ReadChangeFeed};
use engine::operation::{
    BatchOperation, CreateItem, DeleteItem, ListItems, PageOptions, PatchItem, ReadItem,
    ReadOptions, ReplaceItem, TransactionalBatch, UpsertItem, WriteOptions,
};
use engine::query::{QueryItems, QueryPage};
use engine::response::{BatchResult, FeedPage, ReadResult};
use engine::{ContainerLink, EngineSettings, ItemResource, Response, Result};
use model::charge::ChargeProfile;
use model::{ContainerProperties, FeedRange, Json};

use crate::account::{Account, container, json, settings_without_maintenance};
use crate::verbs::{id, key, patch_of};

/// Indexes only the named paths, not the padding of items.
pub(super) fn policy(included: &[&str], more: &str) -> ContainerProperties {
    let paths = included.iter().map(|path| format!(r#"{{"path":"{path}"}}"#));
    container(&format!(
        r#"{{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}},"indexingPolicy":
            {{"includedPaths":[{}],"excludedPaths":[{{"path":"/*"}}]{more}}}}}"#,
        paths.collect::<Vec<_>>().join(",")
    ))
}

/// An item padded to a size in bytes.
pub(super) fn padded(item: &str, bytes: usize) -> Json {
    let bare = format!("{},\"padding\":\"\"}}", item.strip_suffix('}').unwrap());
    let padding = "x".repeat(bytes.checked_sub(bare.len()).expect("the item is smaller"));
    let Json::Object(mut object) = json(&bare) else { panic!("{item} is no object") };
    object.insert("padding", padding);
    let item = Json::Object(object);
    assert_eq!(item.to_bytes().len(), bytes);
    item
}

pub(super) async fn account(profile: ChargeProfile) -> Account {
    Account::with_settings(EngineSettings {
        charge_profile: profile,
        ..settings_without_maintenance()
    })
    .await
}

/// Writes explain themselves.
pub(super) fn explained() -> WriteOptions {
    WriteOptions { explain_charge: true, ..WriteOptions::default() }
}

impl Account {
    pub(super) async fn pay_create(
        &self,
        link: &ContainerLink,
        item: &Json,
    ) -> Response<ItemResource> {
        let item = item.clone();
        let (container, options) = (link.clone(), explained());
        let create = CreateItem { container, partition_key: None, item: item.into(), options };
        self.engine.create_item(create).await.unwrap()
    }

    pub(super) async fn pay_replace(
        &self,
        link: &ContainerLink,
        item: &Json,
    ) -> Response<ItemResource> {
        let name = id(item.get("id").unwrap().as_str().unwrap());
        let replace = ReplaceItem {
            container: link.clone(),
            partition_key: None,
            id: name,
            item: item.clone().into(),
            options: explained(),
        };
        self.engine.replace_item(replace).await.unwrap()
    }

    pub(super) async fn pay_upsert(
        &self,
        link: &ContainerLink,
        item: &Json,
    ) -> Response<engine::response::UpsertResult> {
        let item = item.clone();
        let (container, options) = (link.clone(), explained());
        let upsert = UpsertItem { container, partition_key: None, item: item.into(), options };
        self.engine.upsert_item(upsert).await.unwrap()
    }

    pub(super) async fn pay_patch(
        &self,
        link: &ContainerLink,
        operations: &str,
    ) -> Response<ItemResource> {
        let patch = PatchItem {
            container: link.clone(),
            partition_key: key("p"),
            id: id("1"),
            patch: patch_of(operations, None),
            options: explained(),
        };
        self.engine.patch_item(patch).await.unwrap()
    }

    pub(super) async fn pay_delete(
        &self,
        link: &ContainerLink,
        name: &str,
    ) -> Result<Response<()>> {
        let delete = DeleteItem {
            container: link.clone(),
            partition_key: key("p"),
            id: id(name),
            options: explained(),
        };
        self.engine.delete_item(delete).await
    }

    pub(super) async fn pay_read(
        &self,
        link: &ContainerLink,
        name: &str,
        options: ReadOptions,
    ) -> Result<Response<ReadResult>> {
        let options = ReadOptions { explain_charge: true, ..options };
        let (container, partition_key) = (link.clone(), key("p"));
        let read = ReadItem { container, partition_key, id: id(name), options };
        self.engine.read_item(read).await
    }

    pub(super) async fn pay_batch(
        &self,
        link: &ContainerLink,
        operations: Vec<BatchOperation>,
    ) -> Result<Response<BatchResult>> {
        let (container, partition_key) = (link.clone(), key("p"));
        let batch = TransactionalBatch { container, partition_key, operations };
        self.engine.transactional_batch(batch).await
    }

    pub(super) async fn pay_list(&self, link: &ContainerLink) -> Response<FeedPage<ItemResource>> {
        let list = ListItems {
            container: link.clone(),
            feed_range: FeedRange::Container,
            page: PageOptions::default(),
            options: ReadOptions { explain_charge: true, ..ReadOptions::default() },
        };
        let outcome = self.engine.list_items(list).await.unwrap();
        assert_eq!(outcome.explanation.as_ref().unwrap().charge(), outcome.charge);
        outcome
    }

    pub(super) async fn pay_changes(&self, link: &ContainerLink) -> Response<ChangeFeedPage> {
        let read = ReadChangeFeed {
            container: link.clone(),
            feed_range: FeedRange::Container,
            mode: ChangeFeedMode::LatestVersion,
            start: ChangeFeedStart::Beginning,
            items_max: None,
        };
        self.engine.read_change_feed(read).await.unwrap()
    }

    /// One page of a query; `partition_key` is that of the request.
    pub(super) async fn pay_query(
        &self,
        link: &ContainerLink,
        text: &str,
        partition_key: Option<&str>,
        items_max: usize,
    ) -> Response<QueryPage> {
        let mut query = QueryItems::new(link.clone(), text);
        if let Some(text) = partition_key {
            query.feed_range = FeedRange::PartitionKey(key(text));
        }
        query.options.explain_charge = true;
        query.page.items_max = Some(items_max);
        let outcome = self.engine.query_items(query).await.unwrap();
        let explanation = outcome.explanation.as_ref().unwrap();
        assert_eq!(explanation.charge(), outcome.charge, "{text}");
        outcome
    }
}
