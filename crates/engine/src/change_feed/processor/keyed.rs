//! A container whose partition key is `/id` or `/partitionKey`: where leases and parked changes are kept.
//!
//! Owns the few item operations the processor needs, the choice of the partition key, and the time to live that keeps
//! such items alive in a container that expires others. Does not own what the items mean.

use std::time::Duration;

use model::{
    EpkRange, Etag, EtagPattern, FeedRange, ItemId, Json, Object, PartitionKey, Precondition,
    TimeToLive,
};

use super::lease::integer;
use crate::operation::{
    CreateItem, DeleteItem, ListItems, PageOptions, ReadItem, ReplaceItem, UpsertItem, WriteOptions,
};
use crate::{ContainerLink, Engine, Error, ErrorKind, Item, Result};

pub(crate) struct KeyedContainer {
    engine: Engine,
    link: ContainerLink,
    keyed_by: KeyedBy,
    expires: bool,
}

#[derive(Clone, Copy)]
enum KeyedBy {
    Id,
    PartitionKey,
}

/// The names of one item. In a container keyed by `/partitionKey` a group is one logical partition.
#[derive(Clone, Copy)]
pub(crate) struct Place<'place> {
    pub(crate) group: &'place str,
    pub(crate) id: &'place str,
}

/// How long an item stays.
#[derive(Clone, Copy)]
pub(crate) enum Lifetime {
    Unlimited,
    /// As far as the container expires items at all.
    AtMost(Duration),
}

impl KeyedContainer {
    pub(crate) async fn open(engine: &Engine, link: ContainerLink) -> Result<Self> {
        let properties = engine.read_container(&link).await?.value.properties;
        let paths: Vec<&str> =
            properties.partition_key.paths().iter().map(|path| path.as_str()).collect();
        let keyed_by = match paths.as_slice() {
            ["/id"] => KeyedBy::Id,
            ["/partitionKey"] => KeyedBy::PartitionKey,
            other => {
                return Err(Error::new(
                    ErrorKind::Invalid,
                    format!(
                        "The container {link} has the partition key {other:?}. A processor keeps its items in a \
                         container with the partition key /id or /partitionKey."
                    ),
                ));
            }
        };
        let expires = properties.default_time_to_live != TimeToLive::Off;
        Ok(Self { engine: engine.clone(), link, keyed_by, expires })
    }

    pub(crate) async fn create(
        &self,
        place: Place<'_>,
        object: Object,
        lifetime: Lifetime,
    ) -> Result<Item> {
        let create = CreateItem {
            container: self.link.clone(),
            partition_key: None,
            item: self.complete(place, object, lifetime),
            options: WriteOptions::default(),
        };
        Ok(self.engine.create_item(create).await?.value)
    }

    pub(crate) async fn upsert(&self, place: Place<'_>, object: Object) -> Result<()> {
        let upsert = UpsertItem {
            container: self.link.clone(),
            partition_key: None,
            item: self.complete(place, object, Lifetime::Unlimited),
            options: WriteOptions::default(),
        };
        self.engine.upsert_item(upsert).await?;
        Ok(())
    }

    /// Replaces the item if it still has this etag.
    pub(crate) async fn replace(
        &self,
        place: Place<'_>,
        object: Object,
        etag: Option<Etag>,
    ) -> Result<Item> {
        let replace = ReplaceItem {
            container: self.link.clone(),
            partition_key: None,
            id: ItemId::new(place.id)?,
            item: self.complete(place, object, Lifetime::Unlimited),
            options: if_match(etag),
        };
        Ok(self.engine.replace_item(replace).await?.value)
    }

    pub(crate) async fn read(&self, place: Place<'_>) -> Result<Option<Item>> {
        let read = ReadItem {
            container: self.link.clone(),
            partition_key: self.partition_key(place),
            id: ItemId::new(place.id)?,
            options: Default::default(),
        };
        match self.engine.read_item(read).await {
            Ok(outcome) => Ok(outcome.value.item()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes the item if it still has this etag.
    pub(crate) async fn delete(&self, place: Place<'_>, etag: Option<Etag>) -> Result<()> {
        let delete = DeleteItem {
            container: self.link.clone(),
            partition_key: self.partition_key(place),
            id: ItemId::new(place.id)?,
            options: if_match(etag),
        };
        self.engine.delete_item(delete).await?;
        Ok(())
    }

    /// The items of a group; in a container keyed by `/id` every item, so the caller looks at the ids.
    pub(crate) async fn list(&self, group: &str) -> Result<Vec<Item>> {
        let feed_range = match self.keyed_by {
            KeyedBy::Id => FeedRange::Epk(EpkRange::full()),
            KeyedBy::PartitionKey => FeedRange::PartitionKey(PartitionKey::from(group)),
        };
        let mut items = Vec::new();
        let mut continuation = None;
        loop {
            let list = ListItems {
                container: self.link.clone(),
                feed_range: feed_range.clone(),
                page: PageOptions { items_max: None, continuation },
                options: Default::default(),
            };
            let page = self.engine.list_items(list).await?.value;
            items.extend(page.items);
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok(items);
            }
        }
    }

    fn partition_key(&self, place: Place<'_>) -> PartitionKey {
        PartitionKey::from(match self.keyed_by {
            KeyedBy::Id => place.id,
            KeyedBy::PartitionKey => place.group,
        })
    }

    fn complete(&self, place: Place<'_>, mut object: Object, lifetime: Lifetime) -> Json {
        object.insert("id", place.id);
        if let KeyedBy::PartitionKey = self.keyed_by {
            object.insert("partitionKey", place.group);
        }
        if self.expires {
            let seconds = match lifetime {
                Lifetime::Unlimited => -1,
                Lifetime::AtMost(duration) => integer(duration.as_secs().max(1)),
            };
            object.insert("ttl", seconds);
        }
        Json::Object(object)
    }
}

fn if_match(etag: Option<Etag>) -> WriteOptions {
    let pattern = etag.map(|etag| EtagPattern::Etag(etag.to_string()));
    WriteOptions { precondition: pattern.map(Precondition::IfMatch), ..WriteOptions::default() }
}
