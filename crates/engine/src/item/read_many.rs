//! Read many: several items by partition key and id, one round trip per physical partition.
//!
//! Owns the grouping. Returns items in the order of the request, without those that do not exist.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::SessionToken;

use super::input::item_key;
use super::submit::locate;
use crate::catalog::ContainerEntry;
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::ITEMS;
use crate::metering::{Amount, OperationKind};
use crate::operation::ReadManyItems;
use crate::partition::PhysicalPartition;
use crate::record::ItemRecord;
use crate::response::{ItemResource, Response};
use crate::session;
use crate::throughput::MultiAdmission;

impl Engine {
    /// Reads several items.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// # let create = CreateItem {
    /// #     container: orders.clone(),
    /// #     partition_key: None,
    /// #     item: order(r#"{"id":"1","customer":"ann","total":5}"#)?,
    /// #     options: WriteOptions::default(),
    /// # };
    /// # engine.create_item(create).await?;
    /// let items = vec![(ann, id)];
    /// let read = ReadManyItems { container: orders, items, options: ReadOptions::default() };
    /// assert_eq!(engine.read_many_items(read).await?.value.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `PartitionKeyMismatch` for an incomplete partition key, `SessionNotAvailable` for a token from the future.
    pub async fn read_many_items(
        &self,
        operation: ReadManyItems,
    ) -> Result<Response<Vec<ItemResource>>> {
        let container = self.container(&operation.container)?;
        loop {
            match self.read_many_once(&container, &operation).await? {
                Ok(response) => return Ok(response),
                Err(retired) => self.wait_for_map_without(&container, &retired).await?,
            }
        }
    }

    /// Reads from the partitions of one map. Returns a partition that was retired meanwhile: it may lack newer writes.
    async fn read_many_once(
        &self,
        container: &ContainerEntry,
        operation: &ReadManyItems,
    ) -> Result<std::result::Result<Response<Vec<ItemResource>>, Arc<PhysicalPartition>>> {
        let mut by_partition = BTreeMap::new();
        for (index, (partition_key, id)) in operation.items.iter().enumerate() {
            let key = item_key(&container.identity, partition_key, id)?;
            let partition = locate(container, &key.epk())?;
            let number = partition.identity.number;
            let group = by_partition.entry(number).or_insert_with(|| (partition, Vec::new()));
            group.1.push((index, key.as_bytes().clone()));
        }
        let partitions =
            by_partition.values().map(|(partition, _)| Arc::clone(&partition.throughput)).collect();
        let request = self.metered(OperationKind::ReadMany);
        let admission = MultiAdmission::new(&container.throughput, partitions, request, None)?;
        let compiled = container.compiled();
        let mut session_token = SessionToken::default();
        // By the index in the request: partitions are read one after the other, but the result has the order of the
        // request.
        let mut found = BTreeMap::new();
        let partitions = by_partition.len() as u64;
        for (number, (partition, wanted)) in by_partition {
            session::check(operation.options.session_token.as_ref(), &partition)?;
            let keys: Vec<_> = wanted.iter().map(|(_, key)| key.clone()).collect();
            let stored = self.store().get_many(partition.identity.shard, ITEMS, &keys).await?;
            // Checked after the read; see `read_item`.
            if partition.published.is_retired() {
                return Ok(Err(partition));
            }
            session_token.advance(number, partition.published.lsn());
            for ((index, _), value) in wanted.into_iter().zip(stored) {
                let Some(record) = value.map(ItemRecord::decode).transpose()? else { continue };
                if !compiled.is_expired(&record.header, self.now()) {
                    let lsn = record.header.position.lsn;
                    found.insert(index, ItemResource::from_record(record, lsn));
                }
            }
        }
        let items: Vec<ItemResource> = found.into_values().collect();
        let level = self.charges().read_level(operation.options.consistency);
        let bytes = || items.iter().map(ItemResource::own_bytes);
        let charge = charge::feed_page(bytes(), partitions, level);
        admission.debit(charge, Amount { items: items.len(), bytes: bytes().sum() });
        let explain = operation.options.explain_charge;
        let explanation =
            explain.then(|| self.charges().explain_feed("readMany", bytes(), charge, level));
        Ok(Ok(Response { value: items, charge, session_token: Some(session_token), explanation }))
    }
}
