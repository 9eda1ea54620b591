//! List: the items of a feed range, page by page, in key order.
//!
//! Owns the page and its continuation token, which is the key of the last item, so that a split between two pages
//! changes nothing. Reads only the items of the page.

use std::ops::Bound;
use std::sync::Arc;

use model::limits::{PAGE_BYTES_MAX, PAGE_ITEMS_DEFAULT};
use model::{ContinuationToken, EpkRange, FeedRange, PartitionKey, SessionToken};
use storage::{Direction, KeyRange, Scan, ScanLimit, StorageKey};

use super::input::logical_partition;
use crate::catalog::ContainerEntry;
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{ITEMS, LogicalPartition, LogicalPartitionRef, epk_key_range};
use crate::metering::{Amount, OperationKind};
use crate::operation::{ListItems, PageOptions};
use crate::partition::PhysicalPartition;
use crate::record::ItemRecord;
use crate::response::{FeedPage, ItemResource, Response};
use crate::session;
use crate::throughput::{Admission, MultiAdmission, PartitionThroughput};

const TOKEN_KIND: &str = "list";
const TOKEN_VERSION: u8 = 1;

impl Engine {
    /// Lists items.
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
    /// let list = ListItems {
    ///     container: orders,
    ///     feed_range: model::FeedRange::Container,
    ///     page: PageOptions::default(),
    ///     options: ReadOptions::default(),
    /// };
    /// let page = engine.list_items(list).await?;
    /// println!("{} items for {} RU", page.value.items.len(), page.charge);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `ContinuationRefused` for a token of another container or another kind of read.
    pub async fn list_items(
        &self,
        operation: ListItems,
    ) -> Result<Response<FeedPage<ItemResource>>> {
        let container = self.container(&operation.container)?;
        let range = resumed_range(&container, &operation)?;
        let target = match &operation.feed_range {
            FeedRange::PartitionKey(key) if is_full(&container, key) => {
                Some(logical_partition(&container.identity, key))
            }
            _ => None,
        };
        let logical = target.as_ref().map(LogicalPartition::partition_ref);
        let (gathered, session_token) = loop {
            match self.gather_page(&container, &range, &operation, logical).await? {
                Ok(page) => break page,
                // What was gathered is dropped: it may lack writes that the successor has acknowledged.
                Err(retired) => self.wait_for_map_without(&container, &retired).await?,
            }
        };
        let level = self.charges().read_level(operation.options.consistency);
        let bytes = || gathered.items.iter().map(ItemResource::own_bytes);
        let charge = charge::feed_page(bytes(), gathered.visited.len() as u64, level);
        let explain = operation.options.explain_charge;
        let explanation =
            explain.then(|| self.charges().explain_feed("list", bytes(), charge, level));
        let (throughput, request) = (&container.throughput, self.metered(OperationKind::List));
        let admission =
            MultiAdmission::already_admitted(throughput, gathered.visited, request, logical);
        admission.debit(charge, Amount { items: gathered.items.len(), bytes: gathered.bytes });
        let continuation = gathered.last.filter(|_| gathered.more).map(|last| {
            ContinuationToken::encode(TOKEN_KIND, TOKEN_VERSION, &container.identity.rid, &last)
                .to_string()
        });
        let value = FeedPage { items: gathered.items, continuation };
        Ok(Response { value, charge, session_token: Some(session_token), explanation })
    }

    /// Reads from the partitions of one map. Returns a partition that was retired meanwhile: its data may be half
    /// reclaimed, and the page must be read again.
    async fn gather_page(
        &self,
        container: &ContainerEntry,
        range: &KeyRange,
        operation: &ListItems,
        logical: Option<LogicalPartitionRef<'_>>,
    ) -> Result<std::result::Result<(GatheredPage, SessionToken), Arc<PhysicalPartition>>> {
        let epk_range = operation.feed_range.epk_range(&container.identity.definition);
        let items_max = operation.page.items_max.unwrap_or(PAGE_ITEMS_DEFAULT).max(1);
        let mut session_token = SessionToken::default();
        let mut gathered = GatheredPage::default();
        let partitions = container.map().overlapping(&epk_range);
        let mut left = partitions.len();
        for partition in partitions {
            left -= 1;
            session::check(operation.options.session_token.as_ref(), &partition)?;
            let request = self.metered(OperationKind::List);
            // Only asks. The charge is known at the end and debited from all visited partitions together.
            Admission::new(&container.throughput, &partition.throughput, request, logical)?;
            // Before the scan: everything up to this lsn is in what follows.
            session_token.advance(partition.identity.number, partition.published.lsn());
            gathered.visited.push(Arc::clone(&partition.throughput));
            let part = clip(range, &partition.range);
            self.gather(container, partition.identity.shard, part, items_max, &mut gathered)
                .await?;
            if partition.published.is_retired() {
                return Ok(Err(partition));
            }
            // A page never crosses physical partitions, so that its session token names one. An empty partition is
            // passed over: an empty page would cost a round trip.
            if !gathered.items.is_empty() || gathered.is_full(items_max) {
                gathered.more |= left > 0;
                break;
            }
        }
        Ok(Ok((gathered, session_token)))
    }

    /// Scans one partition into the page, without expired items.
    async fn gather(
        &self,
        container: &ContainerEntry,
        shard: storage::Shard,
        mut range: KeyRange,
        items_max: usize,
        gathered: &mut GatheredPage,
    ) -> Result<()> {
        let compiled = container.compiled();
        while !gathered.is_full(items_max) {
            let limit = ScanLimit {
                // One more than needed: it shows whether the list goes on after a full page.
                entries_max: (items_max - gathered.items.len()).saturating_add(1),
                // Cannot underflow: a page with that many bytes is full, and the loop has ended.
                bytes_max: PAGE_BYTES_MAX - gathered.bytes,
            };
            let page =
                self.store().scan(shard, ITEMS, &Scan::forward(range.clone(), limit)).await?;
            for entry in page.entries {
                if gathered.is_full(items_max) {
                    gathered.more = true;
                    return Ok(());
                }
                let record = ItemRecord::decode(entry.value)?;
                range = range.after(entry.key.clone(), Direction::Forward);
                // Also for an expired item: it was read, and the next page must not read it again.
                gathered.last = Some(entry.key);
                if !compiled.is_expired(&record.header, self.now()) {
                    gathered.bytes += record.body_len();
                    let lsn = record.header.position.lsn;
                    gathered.items.push(ItemResource::from_record(record, lsn));
                }
            }
            gathered.more = page.more;
            if !page.more {
                return Ok(());
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct GatheredPage {
    items: Vec<ItemResource>,
    bytes: usize,
    last: Option<StorageKey>,
    more: bool,
    /// Physical partitions read.
    visited: Vec<Arc<PartitionThroughput>>,
}

impl GatheredPage {
    fn is_full(&self, items_max: usize) -> bool {
        self.items.len() >= items_max || self.bytes >= PAGE_BYTES_MAX
    }
}

/// Item keys of a feed range.
fn feed_key_range(container: &ContainerEntry, feed_range: &FeedRange) -> KeyRange {
    let definition = &container.identity.definition;
    match feed_range {
        FeedRange::PartitionKey(key) if is_full(container, key) => {
            KeyRange::prefix(logical_partition(&container.identity, key).as_bytes())
        }
        feed_range => epk_key_range(&feed_range.epk_range(definition)),
    }
}

fn is_full(container: &ContainerEntry, key: &PartitionKey) -> bool {
    key.components().len() == container.identity.definition.paths().len()
}

/// Restricts a key range to the keys that a partition owns. A partition contains no other keys, but the range of a
/// continuation begins in an earlier partition.
fn clip(range: &KeyRange, partition: &EpkRange) -> KeyRange {
    let owned = epk_key_range(partition);
    let lower = match (&range.lower, &owned.lower) {
        (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b)) if a < b => owned.lower,
        (lower, _) => lower.clone(),
    };
    KeyRange { lower, upper: range.upper.clone() }
}

/// The rest of the feed range after the previous page.
fn resumed_range(container: &ContainerEntry, operation: &ListItems) -> Result<KeyRange> {
    let range = feed_key_range(container, &operation.feed_range);
    let Some(last) = resume_key(container, &operation.page)? else { return Ok(range) };
    if !range.contains(&last) {
        return Err(Error::new(
            ErrorKind::ContinuationRefused,
            "Invalid Continuation Token: it continues another feed range. Start over without it.",
        ));
    }
    Ok(range.after(last, Direction::Forward))
}

fn resume_key(container: &ContainerEntry, page: &PageOptions) -> Result<Option<StorageKey>> {
    let Some(token) = &page.continuation else { return Ok(None) };
    let (version, last) = ContinuationToken::decode(token, TOKEN_KIND, &container.identity.rid)
        .map_err(|invalid| Error::new(ErrorKind::ContinuationRefused, invalid.message()))?;
    if version != TOKEN_VERSION {
        return Err(Error::new(
            ErrorKind::ContinuationRefused,
            format!(
                "Invalid Continuation Token: version {version} is not known. Start over without it."
            ),
        ));
    }
    Ok(Some(last.into()))
}
