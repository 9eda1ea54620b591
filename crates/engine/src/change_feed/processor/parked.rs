//! Changes that could not be handled, written down so that the others can go on.
//!
//! Owns the item `<prefix>.parked..<range>.<lsn>.<id>`. Parking the same change again writes the same item. Does not
//! own what becomes of parked changes: somebody looks at them.

use model::limits::ITEM_ID_BYTES_MAX;
use model::{EpkRange, Json, Object, structural_hash};

use super::keyed::{KeyedContainer, Place};
use super::lease::{integer, range_text};
use super::reaction::ReactionError;
use crate::change_feed::{Change, ChangeOperation};
use crate::{ErrorKind, Item, Result};

pub(crate) struct ParkedStore {
    items: KeyedContainer,
    group: String,
}

impl ParkedStore {
    pub(crate) fn new(items: KeyedContainer, prefix: String) -> Self {
        Self { items, group: prefix + ".parked" }
    }

    /// Parks the change at `index` of a page.
    pub(crate) async fn park(
        &self,
        range: &EpkRange,
        page: &[Change],
        index: usize,
        error: &ReactionError,
        attempts: u32,
    ) -> Result<()> {
        let Some(change) = page.get(index) else { return Ok(()) };
        let same = |other: &&Change| other.lsn() == change.lsn() && other.id() == change.id();
        let earlier = page.iter().take(index).filter(same).count();
        let id = self.item_id(range, change, earlier);
        let place = Place { group: &self.group, id: &id };
        let mut object = Object::new();
        object.insert("error", error.message());
        object.insert("attempts", i64::from(attempts));
        object.insert("change", change_json(change, item_json));
        match self.items.upsert(place, object.clone()).await {
            // Both images of a large item do not fit into one item; where to find them does.
            Err(error) if error.kind() == ErrorKind::TooLarge => {
                object.insert("change", change_json(change, |_| None));
                self.items.upsert(place, object).await
            }
            result => result,
        }
    }

    /// One transaction can hold several changes of one item id: in other logical partitions, or versions of one item.
    fn item_id(&self, range: &EpkRange, change: &Change, earlier: usize) -> String {
        let start = format!("{}..{}.{}.", self.group, range_text(range), change.lsn());
        let end = if earlier == 0 { String::new() } else { format!(".{earlier}") };
        let mut id = change.id().to_owned();
        if start.len() + id.len() + end.len() > ITEM_ID_BYTES_MAX {
            id = format!("{:032x}", structural_hash(&Json::from(id)));
        }
        start + &id + &end
    }
}

fn change_json(change: &Change, image: impl Fn(&Item) -> Option<Json>) -> Object {
    let mut object = Object::new();
    let operation = match change.operation() {
        ChangeOperation::Create => "create",
        ChangeOperation::Replace => "replace",
        ChangeOperation::Delete => "delete",
        ChangeOperation::Expire => "expire",
    };
    object.insert("operation", operation);
    object.insert("id", change.id());
    object.insert("partitionKey", change.partition_key().to_json());
    object.insert("lsn", integer(change.lsn().0));
    object.insert("previousLsn", integer(change.previous_lsn().0));
    object.insert("timestamp", integer(change.timestamp().0));
    let current = change.current();
    for (name, item) in [("current", current.as_ref()), ("previous", change.previous())] {
        if let Some(json) = item.and_then(&image) {
            object.insert(name, json);
        }
    }
    object
}

fn item_json(item: &Item) -> Option<Json> {
    Some(item.to_json())
}
