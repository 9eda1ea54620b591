//! The one match: every operation to its function.
//!
//! Owns the list. Does not own anything else: typed callers use the same methods directly.

use crate::engine::Engine;
use crate::error::Result;
use crate::operation::Operation;
use crate::outcome::{Outcome, OutcomeValue as Value};

impl Engine {
    /// Executes any operation.
    ///
    /// # Errors
    /// Those of the operation's own method.
    pub async fn execute(&self, operation: Operation) -> Result<Outcome<Value>> {
        Ok(match operation {
            Operation::CreateDatabase(new) => self.create_database(new).await?.map(Value::Database),
            Operation::ReadDatabase(id) => self.read_database(&id).await?.map(Value::Database),
            Operation::ListDatabases => self.list_databases().await?.map(Value::Databases),
            Operation::DeleteDatabase(id) => self.delete_database(&id).await?.map(done),
            Operation::CreateContainer(new) => self.create_container(new).await?.map(container),
            Operation::ReadContainer(link) => self.read_container(&link).await?.map(container),
            Operation::ListContainers(id) => {
                self.list_containers(&id).await?.map(Value::Containers)
            }
            Operation::ReplaceContainer(new) => self.replace_container(new).await?.map(container),
            Operation::DeleteContainer(link) => self.delete_container(&link).await?.map(done),
            Operation::ReadThroughput(owner) => {
                self.read_throughput(&owner).await?.map(Value::Throughput)
            }
            Operation::ReplaceThroughput(owner, throughput) => self
                .replace_throughput(&owner, throughput)
                .await?
                .map(|throughput| Value::Throughput(Some(throughput))),
            Operation::ListPartitions(link) => {
                self.list_partitions(&link).await?.map(Value::Partitions)
            }
            Operation::SplitPartition(split) => self.split_partition(split).await?.map(done),
            Operation::MergePartitions(merge) => self.merge_partitions(merge).await?.map(done),
            Operation::CreateItem(create) => self.create_item(create).await?.map(Value::Item),
            Operation::ReadItem(read) => self.read_item(read).await?.map(Value::Read),
            Operation::ReadManyItems(read) => self
                .read_many_items(read)
                .await?
                .map(|items| Value::Items(crate::outcome::Page { items, continuation: None })),
            Operation::ListItems(list) => self.list_items(list).await?.map(Value::Items),
            Operation::ReplaceItem(replace) => self.replace_item(replace).await?.map(Value::Item),
            Operation::UpsertItem(upsert) => self.upsert_item(upsert).await?.map(Value::Upserted),
            Operation::PatchItem(patch) => self.patch_item(patch).await?.map(Value::Item),
            Operation::DeleteItem(delete) => self.delete_item(delete).await?.map(done),
            Operation::DeleteByPartitionKey(delete) => {
                self.delete_by_partition_key(delete).await?.map(Value::Deleted)
            }
            Operation::TransactionalBatch(batch) => {
                self.transactional_batch(batch).await?.map(Value::Batch)
            }
            Operation::ReadChangeFeed(read) => {
                self.read_change_feed(read).await?.map(Value::ChangeFeed)
            }
            Operation::QueryItems(query) => {
                self.query_items(*query).await?.map(|page| Value::Rows(Box::new(page)))
            }
            Operation::ExplainQuery(query) => {
                self.explain_query(*query).await?.map(|words| Value::Explanation(Box::new(words)))
            }
            Operation::PlanQuery(plan) => self.query_plan(plan).await?.map(Value::QueryPlan),
        })
    }
}

fn done<T>(_: T) -> Value {
    Value::Done
}

fn container(container: crate::outcome::ContainerResource) -> Value {
    Value::Container(Box::new(container))
}
