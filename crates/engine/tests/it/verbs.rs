//! Helpers to operate on an account: one function per verb, with text as input.

use engine::change_feed::{ChangeFeedMode, ChangeFeedPage, ChangeFeedStart, ReadChangeFeed};
use engine::operation::{
    BatchOperation, CreateItem, DeleteByPartitionKey, DeleteItem, ListItems, MergePartitions,
    PageOptions, PatchItem, ReadItem, ReadManyItems, ReplaceItem, SplitPartition,
    TransactionalBatch, UpsertItem, WriteOptions,
};
use engine::response::{BatchResult, FeedPage, ReadResult, UpsertResult};
use engine::{ContainerLink, ErrorKind, ItemResource, Response, Result};
use model::{
    EtagPattern, FeedRange, IndexingDirective, ItemId, Json, PartitionKey, Patch, Precondition,
};

use crate::account::{Account, json};

/// A partition key from its JSON form, or from one string.
pub(crate) fn key(text: &str) -> PartitionKey {
    if text.starts_with('[') {
        PartitionKey::parse(text).unwrap()
    } else {
        PartitionKey::from(text)
    }
}

pub(crate) fn id(text: &str) -> ItemId {
    ItemId::new(text).unwrap()
}

pub(crate) fn if_match(etag: impl std::fmt::Display) -> WriteOptions {
    let pattern = EtagPattern::parse(&etag.to_string());
    WriteOptions { precondition: Some(Precondition::IfMatch(pattern)), ..WriteOptions::default() }
}

pub(crate) fn indexing(indexing: IndexingDirective) -> WriteOptions {
    WriteOptions { indexing, ..WriteOptions::default() }
}

pub(crate) fn patch_of(operations: &str, condition: Option<&str>) -> Patch {
    let body = json(&format!(r#"{{"operations":{operations}}}"#));
    let patch = Patch::from_json(&body).unwrap();
    Patch::new(patch.operations().to_vec(), condition.map(str::to_owned)).unwrap()
}

/// The item as text without system properties.
pub(crate) fn own(item: &ItemResource) -> String {
    let Json::Object(mut object) = item.to_json() else { panic!("not an object") };
    for name in ["_rid", "_self", "_etag", "_attachments", "_ts"] {
        assert!(object.remove(name).is_some(), "{name} is missing");
    }
    Json::Object(object).to_string()
}

pub(crate) fn text(item: &ItemResource) -> String {
    String::from_utf8(item.text().to_vec()).unwrap()
}

pub(crate) fn ids(items: &[ItemResource]) -> Vec<String> {
    items
        .iter()
        .map(|item| item.to_json().get("id").unwrap().as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    error.to_string()
}

impl Account {
    pub(crate) async fn create(&self, link: &ContainerLink, text: &str) -> Result<ItemResource> {
        Ok(self.create_with(link, None, text, WriteOptions::default()).await?.value)
    }

    pub(crate) async fn create_with(
        &self,
        link: &ContainerLink,
        partition_key: Option<PartitionKey>,
        text: &str,
        options: WriteOptions,
    ) -> Result<Response<ItemResource>> {
        let container = link.clone();
        let create = CreateItem { container, partition_key, item: json(text).into(), options };
        self.engine.create_item(create).await
    }

    pub(crate) async fn upsert(&self, link: &ContainerLink, text: &str) -> Result<UpsertResult> {
        self.upsert_with(link, text, WriteOptions::default()).await
    }

    pub(crate) async fn upsert_with(
        &self,
        link: &ContainerLink,
        text: &str,
        options: WriteOptions,
    ) -> Result<UpsertResult> {
        let container = link.clone();
        let upsert =
            UpsertItem { container, partition_key: None, item: json(text).into(), options };
        Ok(self.engine.upsert_item(upsert).await?.value)
    }

    pub(crate) async fn replace(
        &self,
        link: &ContainerLink,
        name: &str,
        text: &str,
    ) -> Result<ItemResource> {
        self.replace_with(link, name, text, WriteOptions::default()).await
    }

    pub(crate) async fn replace_with(
        &self,
        link: &ContainerLink,
        name: &str,
        text: &str,
        options: WriteOptions,
    ) -> Result<ItemResource> {
        let (container, item) = (link.clone(), json(text));
        let replace = ReplaceItem {
            container,
            partition_key: None,
            id: id(name),
            item: item.into(),
            options,
        };
        Ok(self.engine.replace_item(replace).await?.value)
    }

    pub(crate) async fn patch(
        &self,
        link: &ContainerLink,
        (partition_key, name): (&str, &str),
        operations: &str,
    ) -> Result<ItemResource> {
        let patch = patch_of(operations, None);
        self.patch_with(link, (partition_key, name), patch, WriteOptions::default()).await
    }

    pub(crate) async fn patch_with(
        &self,
        link: &ContainerLink,
        (partition_key, name): (&str, &str),
        patch: Patch,
        options: WriteOptions,
    ) -> Result<ItemResource> {
        let patch = PatchItem {
            container: link.clone(),
            partition_key: key(partition_key),
            id: id(name),
            patch,
            options,
        };
        Ok(self.engine.patch_item(patch).await?.value)
    }

    pub(crate) async fn delete(&self, link: &ContainerLink, pk: &str, name: &str) -> Result<()> {
        self.delete_with(link, pk, name, WriteOptions::default()).await
    }

    pub(crate) async fn delete_with(
        &self,
        link: &ContainerLink,
        partition_key: &str,
        name: &str,
        options: WriteOptions,
    ) -> Result<()> {
        let (container, partition_key) = (link.clone(), key(partition_key));
        let delete = DeleteItem { container, partition_key, id: id(name), options };
        self.engine.delete_item(delete).await?;
        Ok(())
    }

    pub(crate) async fn read(
        &self,
        link: &ContainerLink,
        pk: &str,
        name: &str,
    ) -> Result<ItemResource> {
        match self.engine.read_item(read_of(link, pk, name)).await?.value {
            ReadResult::Found(item) => Ok(item),
            ReadResult::NotModified(etag) => panic!("not modified: {etag}"),
        }
    }

    pub(crate) async fn read_many(
        &self,
        link: &ContainerLink,
        items: &[(&str, &str)],
    ) -> Vec<ItemResource> {
        let items = items.iter().map(|(pk, name)| (key(pk), id(name))).collect();
        let read = ReadManyItems { container: link.clone(), items, options: Default::default() };
        self.engine.read_many_items(read).await.unwrap().value
    }

    pub(crate) async fn delete_partition(&self, link: &ContainerLink, pk: &str) -> Result<u64> {
        let (container, partition_key) = (link.clone(), key(pk));
        let delete = DeleteByPartitionKey { container, partition_key };
        Ok(self.engine.delete_by_partition_key(delete).await?.value)
    }

    pub(crate) async fn batch(
        &self,
        link: &ContainerLink,
        partition_key: &str,
        operations: Vec<BatchOperation>,
    ) -> Result<BatchResult> {
        let (container, partition_key) = (link.clone(), key(partition_key));
        let batch = TransactionalBatch { container, partition_key, operations };
        Ok(self.engine.transactional_batch(batch).await?.value)
    }

    pub(crate) async fn page(
        &self,
        link: &ContainerLink,
        feed_range: &FeedRange,
        items_max: usize,
        continuation: Option<String>,
    ) -> Result<FeedPage<ItemResource>> {
        let list = ListItems {
            container: link.clone(),
            feed_range: feed_range.clone(),
            page: PageOptions { items_max: Some(items_max), continuation },
            options: Default::default(),
        };
        Ok(self.engine.list_items(list).await?.value)
    }

    /// All items, read page by page.
    pub(crate) async fn list(
        &self,
        link: &ContainerLink,
        range: &FeedRange,
        max: usize,
    ) -> Vec<ItemResource> {
        let (mut items, mut continuation) = (Vec::new(), None);
        loop {
            let page = self.page(link, range, max, continuation).await.unwrap();
            assert!(page.items.len() <= max);
            items.extend(page.items);
            continuation = page.continuation;
            if continuation.is_none() {
                return items;
            }
        }
    }

    pub(crate) async fn changes(
        &self,
        link: &ContainerLink,
        mode: ChangeFeedMode,
        start: ChangeFeedStart,
        items_max: usize,
    ) -> Result<ChangeFeedPage> {
        self.changes_of(link, FeedRange::Container, mode, start, items_max).await
    }

    pub(crate) async fn changes_of(
        &self,
        link: &ContainerLink,
        feed_range: FeedRange,
        mode: ChangeFeedMode,
        start: ChangeFeedStart,
        items_max: usize,
    ) -> Result<ChangeFeedPage> {
        let container = link.clone();
        let read =
            ReadChangeFeed { container, feed_range, mode, start, items_max: Some(items_max) };
        Ok(self.engine.read_change_feed(read).await?.value)
    }

    pub(crate) async fn split(&self, link: &ContainerLink, partition: u32) -> Result<Vec<u32>> {
        let split = SplitPartition { container: link.clone(), partition, at: None };
        Ok(self.engine.split_partition(split).await?.value)
    }

    pub(crate) async fn merge(&self, link: &ContainerLink, left: u32, right: u32) -> Result<u32> {
        let merge = MergePartitions { container: link.clone(), partitions: (left, right) };
        Ok(self.engine.merge_partitions(merge).await?.value)
    }
}

pub(crate) fn read_of(link: &ContainerLink, partition_key: &str, name: &str) -> ReadItem {
    ReadItem {
        container: link.clone(),
        partition_key: key(partition_key),
        id: id(name),
        options: Default::default(),
    }
}
