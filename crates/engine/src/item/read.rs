//! Read: one item by partition key and id, directly from the store.
//!
//! Owns the point read, its session check and the read inside a batch. The text is returned as stored: nothing is
//! parsed, and a read never waits for the writer.

use model::{Lsn, Precondition, PreconditionResult};

use super::input::item_key;
use super::replace::{check_precondition, not_found};
use super::submit::{locate, point_response};
use super::write::ItemWriteResult;
use crate::charge::{nothing_found, point_read};
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::{ITEMS, ItemKey};
use crate::metering::{Amount, OperationKind};
use crate::operation::ReadItem;
use crate::partition::Abort;
use crate::record::ItemRecord;
use crate::response::{ItemResource, ReadResult, Response};
use crate::session;
use crate::throughput::Admission;
use crate::transaction::ItemTransaction;

impl Engine {
    /// Reads an item.
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
    /// let options = ReadOptions::default();
    /// let read = ReadItem { container: orders, partition_key: ann, id, options };
    /// let item = engine.read_item(read).await?.value.item().ok_or("not modified")?;
    /// assert!(item.text().starts_with(br#"{"id":"1""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when there is none or it has expired, `SessionNotAvailable` for a token from the future.
    pub async fn read_item(&self, operation: ReadItem) -> Result<Response<ReadResult>> {
        let container = self.container(&operation.container)?;
        let key = item_key(&container.identity, &operation.partition_key, &operation.id)?;
        let epk = key.epk();
        // One timestamp for admission and expiry, also across retries.
        let request = self.metered(OperationKind::Read);
        let now = request.now;
        loop {
            let partition = locate(&container, &epk)?;
            let (throughput, logical) = (&container.throughput, Some(key.partition_ref()));
            let admission = Admission::new(throughput, &partition.throughput, request, logical)?;
            session::check(operation.options.session_token.as_ref(), &partition)?;
            let stored = self.store().get(partition.identity.shard, ITEMS, key.as_bytes()).await?;
            // Checked after the read, not before: a partition that is not retired now had all acknowledged writes then.
            if partition.published.is_retired() {
                // Rare and large: boxed, so that the future of an ordinary read stays small.
                Box::pin(self.wait_for_map_without(&container, &partition)).await?;
                continue;
            }
            let record = stored.map(ItemRecord::decode).transpose()?;
            let compiled = container.compiled();
            let record = record.filter(|record| !compiled.is_expired(&record.header, now));
            let level = self.charges().read_level(operation.options.consistency);
            let Some(record) = record else {
                let absent = not_found(operation.id.as_str()).with_charge(nothing_found(level));
                return admission.finish(Err(absent), |_| Amount::default());
            };
            if let Err(refused) =
                check_precondition(operation.options.precondition.as_ref(), &record)
            {
                let refused = refused.with_charge(nothing_found(level));
                return admission.finish(Err(refused), |_| Amount::default());
            }
            let bytes = record.own_bytes();
            let answer = answer(operation.options.precondition.as_ref(), record);
            let bytes = matches!(answer, ReadResult::Found(_)).then_some(bytes);
            let charge = bytes.map_or(nothing_found(level), |bytes| point_read(bytes, level));
            // Loaded after the read, so it may be newer than the value. A token is a lower bound for later reads:
            // newer is safe.
            let lsn = partition.published.lsn();
            let response = point_response(answer, charge, partition.identity.number, lsn);
            let explain = operation.options.explain_charge;
            let explanation = explain.then(|| self.charges().explain_read(bytes, level));
            admission.debit(charge, Amount { items: 1, bytes: bytes.unwrap_or(0) });
            self.sample_read(&container, &response);
            return Ok(Response { explanation, ..response });
        }
    }
}

/// The item, or "not modified".
pub(crate) fn answer(precondition: Option<&Precondition>, record: ItemRecord) -> ReadResult {
    if is_unmodified(precondition, &record) {
        return ReadResult::NotModified(record.header.etag);
    }
    let lsn = record.header.position.lsn;
    ReadResult::Found(ItemResource::from_record(record, lsn))
}

fn is_unmodified(precondition: Option<&Precondition>, record: &ItemRecord) -> bool {
    // If-Match applies to writes; on a read it has no effect.
    let Some(precondition @ Precondition::IfNoneMatch(_)) = precondition else { return false };
    precondition.check(Some(&record.header.etag.to_string())) != PreconditionResult::Proceed
}

/// Reads inside a transaction, as the batch has left the item so far.
pub(crate) async fn read_in_batch(
    transaction: &mut ItemTransaction<'_>,
    key: &ItemKey,
    precondition: Option<&Precondition>,
) -> std::result::Result<ItemWriteResult, Abort> {
    let Some(record) = transaction.current(key).await? else {
        return Err(Abort::Failed(not_found(key.id())));
    };
    check_precondition(precondition, &record)?;
    if is_unmodified(precondition, &record) {
        return Ok(ItemWriteResult::NotModified(record));
    }
    Ok(ItemWriteResult::Found(record))
}

/// The lsn of a record read inside a batch. Zero represents the batch's own, which was not known when it was read.
pub(crate) fn lsn_in_batch(record: &ItemRecord, batch: Lsn) -> Lsn {
    match record.header.position.lsn {
        Lsn::ZERO => batch,
        lsn => lsn,
    }
}
