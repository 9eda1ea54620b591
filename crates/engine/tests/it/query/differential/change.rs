//! What happens to a world between queries.

use engine::operation::{DeleteItem, UpsertItem, WriteOptions};
use model::{FeedRange, IndexingDirective, ItemId, Json, TimeToLive};

use super::container::policy;
use super::item::item;
use super::world::World;
use crate::random::SeededRandom;

/// A container seldom has more physical partitions.
const PARTITIONS_MAX: usize = 6;

impl World {
    /// The first items; seldom many.
    pub(super) async fn fill(&mut self) {
        let count = match self.random.weighted(&[10, 70, 15, 5]) {
            0 => self.random.below(4),
            1 => 10 + self.random.below(30),
            2 => 40 + self.random.below(60),
            _ => 200 + self.random.below(200),
        };
        for _ in 0..count {
            self.write().await;
        }
        for _ in 0..self.random.below(3) {
            self.restructure().await;
        }
    }

    pub(super) async fn change(&mut self) {
        match self.random.weighted(&[40, 12, 14, 8, 12, 10, 4]) {
            0 => self.write().await,
            1 => self.delete().await,
            2 => self.restructure().await,
            3 => self.replace_policy().await,
            4 => self.maintain().await,
            5 => self.travel(),
            _ => self.maintain_fully().await,
        }
    }

    pub(super) async fn write(&mut self) {
        let expires = self.expires();
        let item = item(&mut self.random, &self.keys, expires, self.is_wide);
        let directives =
            [IndexingDirective::Default, IndexingDirective::Include, IndexingDirective::Exclude];
        let indexing = if self.leaves_items_out() {
            *self.random.pick(&directives)
        } else {
            IndexingDirective::Default
        };
        let what = format!("upsert {item} {indexing:?}");
        let name = self.name_of(&item);
        if indexing == IndexingDirective::Exclude {
            self.left_out.insert(name);
        } else {
            self.left_out.remove(&name);
        }
        let upsert = UpsertItem {
            container: self.link.clone(),
            partition_key: None,
            item: item.into(),
            options: WriteOptions { indexing, ..WriteOptions::default() },
        };
        self.account.engine.upsert_item(upsert).await.unwrap();
        self.changed(what);
    }

    pub(super) async fn delete(&mut self) {
        let items = self.live(&FeedRange::Container).await;
        if items.is_empty() {
            return;
        }
        let item = self.random.pick(&items);
        let id = item.get("id").and_then(Json::as_str).unwrap();
        let delete = DeleteItem {
            container: self.link.clone(),
            partition_key: self.keys.definition.extract(item),
            id: ItemId::new(id).unwrap(),
            options: WriteOptions::default(),
        };
        let what = format!("delete {id} of {}", delete.partition_key);
        self.account.engine.delete_item(delete).await.unwrap();
        self.changed(what);
    }

    /// Splits a partition, or merges two neighbours. The items stay as they are.
    pub(super) async fn restructure(&mut self) {
        let listed = self.account.engine.list_partitions(&self.link).await.unwrap();
        let partitions = listed.value.partitions;
        let splits =
            partitions.len() < 2 || (partitions.len() < PARTITIONS_MAX && self.random.percent(60));
        let what = if splits {
            let number = self.random.pick(&partitions).number;
            match self.account.split(&self.link, number).await {
                Ok(children) => format!("split {number} into {children:?}"),
                Err(error) => format!("could not split {number}: {error}"),
            }
        } else {
            let place = self.random.index(partitions.len() - 1);
            let (left, right) = (partitions[place].number, partitions[place + 1].number);
            let merged = self.account.merge(&self.link, left, right).await.unwrap();
            format!("merged {left} and {right} into {merged}")
        };
        // What was listed stays true.
        self.history.push(what);
    }

    pub(super) async fn replace_policy(&mut self) {
        let policy = loop {
            let policy = policy(&mut self.random);
            let mut properties = self.properties.clone();
            properties.indexing_policy = policy.clone();
            if properties.validate().is_ok() {
                break policy;
            }
            self.properties.default_time_to_live = TimeToLive::Off;
        };
        self.older.push(self.properties.indexing_policy.clone());
        self.properties.indexing_policy = policy;
        let properties = self.properties.clone();
        self.account.alter(&self.link, |old| *old = properties).await.unwrap();
        self.changed(format!("policy {}", self.properties.indexing_policy.to_json()));
    }

    /// One round, which may leave a rebuild half done.
    async fn maintain(&mut self) {
        let report = self.account.engine.maintain().await.unwrap();
        self.changed(format!("maintain {report:?}"));
    }

    async fn maintain_fully(&mut self) {
        self.account.engine.maintain_fully().await.unwrap();
        self.older.clear();
        self.changed("maintain fully".to_owned());
    }

    fn travel(&mut self) {
        let seconds = travelled(&mut self.random);
        self.account.travel(seconds);
        self.changed(format!("{seconds} s later"));
    }
}

fn travelled(random: &mut SeededRandom) -> u64 {
    1 + random.below(8)
}
