//! Restoring a container to a second of the past, in place or into another container.
//!
//! Owns which items are written and deleted for it. They are ordinary writes, with new etags and entries in the change
//! feed. Does not own reading the past: see `time_travel`.

use std::collections::HashSet;

use model::{FeedRange, ItemId, Json, MeasuredJson, PartitionKey, RequestCharge, TimestampSeconds};

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{
    ContainerLink, DeleteItem, ListItems, PageOptions, ReadItem, ReadOptions, UpsertItem,
    WriteOptions,
};
use crate::response::{ItemResource, Response};

/// Items per page while looking for those that did not exist then.
const PAGE_ITEMS: usize = 1000;

/// What a restore did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestoreReport {
    /// Items written because they were missing or different.
    pub restored: u64,
    /// Items deleted because they did not exist then.
    pub deleted: u64,
    /// Items that had not changed since.
    pub unchanged: u64,
}

impl Engine {
    /// Gives `target` the items that `source` had at the end of the second `time`. With the same link for both, the
    /// container is restored in place: items written since then get their old content, and items created since then are
    /// deleted. Another target keeps items of its own.
    ///
    /// Run it again after an interruption: what is done is not done twice. Items that others write meanwhile may keep
    /// what they wrote.
    ///
    /// # Errors
    /// Those of [`Engine::snapshot_at`], and those of writing items.
    pub async fn restore_at(
        &self,
        source: &ContainerLink,
        time: TimestampSeconds,
        target: &ContainerLink,
    ) -> Result<Response<RestoreReport>> {
        let definition = self.read_container(source).await?.value.properties.partition_key;
        let mut report = RestoreReport::default();
        let mut charge = RequestCharge::default();
        // Items of that second whose version is not the one of then any more, so that their time does not tell that
        // they existed. At most as many as have changed since, which the retention of versions bounds.
        let mut existed: HashSet<String> = HashSet::new();
        let mut snapshot = self.snapshot_at(source, time).await?;
        while let Some(items) = snapshot.next().await? {
            for item in items {
                let json = item.to_json();
                let Some(id) = item_id(&json) else { continue };
                let partition_key = definition.extract(&json);
                let key = key_text(&partition_key, &id);
                let current = self.read_current(target, partition_key, id).await?;
                if current.as_ref().is_some_and(|current| current.etag() == item.etag()) {
                    report.unchanged += 1;
                    continue;
                }
                existed.insert(key);
                // Written since with the same content, perhaps by an earlier run of this restore.
                if current
                    .is_some_and(|current| own_content(&current.to_json()) == own_content(&json))
                {
                    report.unchanged += 1;
                    continue;
                }
                let upsert = UpsertItem {
                    container: target.clone(),
                    partition_key: None,
                    item: stored_item(&item)?,
                    options: WriteOptions::default(),
                };
                charge += self.upsert_item(upsert).await?.charge;
                report.restored += 1;
            }
        }
        if source == target {
            charge += self.delete_newer(source, time, &existed, &mut report).await?;
        }
        Ok(Response { value: report, charge, session_token: None, explanation: None })
    }

    /// The item as it is now; `None` if it does not exist.
    async fn read_current(
        &self,
        container: &ContainerLink,
        partition_key: PartitionKey,
        id: ItemId,
    ) -> Result<Option<ItemResource>> {
        let options = ReadOptions::default();
        let read = ReadItem { container: container.clone(), partition_key, id, options };
        match self.read_item(read).await {
            Ok(found) => Ok(found.value.item()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes the items of a container that were written after a second, except those that existed then.
    async fn delete_newer(
        &self,
        container: &ContainerLink,
        time: TimestampSeconds,
        existed: &HashSet<String>,
        report: &mut RestoreReport,
    ) -> Result<RequestCharge> {
        let definition = self.read_container(container).await?.value.properties.partition_key;
        let mut charge = RequestCharge::default();
        let mut continuation = None;
        loop {
            let list = ListItems {
                container: container.clone(),
                feed_range: FeedRange::Container,
                page: PageOptions { items_max: Some(PAGE_ITEMS), continuation },
                options: ReadOptions::default(),
            };
            let page = self.list_items(list).await?;
            charge += page.charge;
            for item in page.value.items.iter().filter(|item| item.timestamp() > time) {
                let json = item.to_json();
                let Some(id) = item_id(&json) else { continue };
                let partition_key = definition.extract(&json);
                if existed.contains(&key_text(&partition_key, &id)) {
                    continue;
                }
                let options = WriteOptions::default();
                let delete =
                    DeleteItem { container: container.clone(), partition_key, id, options };
                match self.delete_item(delete).await {
                    Ok(deleted) => charge += deleted.charge,
                    // Somebody else was faster.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                }
                report.deleted += 1;
            }
            continuation = page.value.continuation;
            if continuation.is_none() {
                return Ok(charge);
            }
        }
    }
}

/// The key of an item as a text, to remember it.
fn key_text(partition_key: &PartitionKey, id: &ItemId) -> String {
    format!("{}\u{0}{}", partition_key.to_json(), id.as_str())
}

/// A stored text is JSON; anything else is damage.
fn stored_item(item: &ItemResource) -> Result<MeasuredJson> {
    MeasuredJson::parse(item.text()).map_err(|error| {
        Error::new(ErrorKind::Corrupt, format!("a stored item is no JSON: {error}"))
    })
}

fn item_id(json: &Json) -> Option<ItemId> {
    json.get("id").and_then(Json::as_str).and_then(|id| ItemId::new(id).ok())
}

/// The content of an item without the properties that every write sets anew.
fn own_content(json: &Json) -> Json {
    let mut own = json.clone();
    if let Json::Object(object) = &mut own {
        for name in ["_rid", "_self", "_etag", "_ts", "_attachments"] {
            object.remove(name);
        }
    }
    own
}
