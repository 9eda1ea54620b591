//! List: the items of a feed range, page by page, in the order of creation within each physical partition.
//!
//! Owns the page. `position` owns its continuation token, `gather` reads the items. A split or merge between two pages
//! changes nothing. Reads only the items of the page.

use std::sync::Arc;

use model::limits::PAGE_ITEMS_DEFAULT;
use model::{FeedRange, PartitionKey, SessionToken};

use super::gather::{GatheredPage, SectionReader};
use super::position::ListPosition;
use crate::catalog::ContainerEntry;
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::item::input::logical_partition;
use crate::key_layout::LogicalPartition;
use crate::metering::{Amount, OperationKind};
use crate::operation::ListItems;
use crate::partition::PhysicalPartition;
use crate::response::{FeedPage, ItemResource, Response};
use crate::session;
use crate::throughput::{Admission, MultiAdmission};

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
        let position = ListPosition::from_request(&container, &operation)?;
        let target = match &operation.feed_range {
            FeedRange::PartitionKey(key) if is_full(&container, key) => {
                Some(logical_partition(&container.identity, key))
            }
            _ => None,
        };
        let (gathered, session_token) = loop {
            let page = self.gather_page(&container, &position, &operation, target.as_ref());
            match page.await? {
                Ok(page) => break page,
                // What was gathered is dropped: it may lack writes that the successor has acknowledged.
                Err(retired) => self.wait_for_map_without(&container, &retired).await?,
            }
        };
        let level = self.charges().read_level(operation.options.consistency);
        let bytes = || gathered.items.iter().map(|(_, item)| item.own_bytes());
        let charge = charge::feed_page(bytes(), gathered.visited.len() as u64, level);
        let explain = operation.options.explain_charge;
        let explanation =
            explain.then(|| self.charges().explain_feed("list", bytes(), charge, level));
        let (throughput, request) = (&container.throughput, self.metered(OperationKind::List));
        let logical = target.as_ref().map(LogicalPartition::partition_ref);
        let admission =
            MultiAdmission::already_admitted(throughput, gathered.visited, request, logical);
        admission.debit(charge, Amount { items: gathered.items.len(), bytes: gathered.bytes });
        let last = gathered.last.filter(|_| gathered.more);
        let continuation = last.map(|last| last.to_token(&container, &operation));
        let items = gathered.items.into_iter().map(|(_, item)| item).collect();
        let value = FeedPage { items, continuation };
        Ok(Response { value, charge, session_token: Some(session_token), explanation })
    }

    /// Reads from the partitions of one map. Returns a partition that was retired meanwhile: its data may be half
    /// reclaimed, and the page must be read again.
    async fn gather_page(
        &self,
        container: &ContainerEntry,
        position: &ListPosition,
        operation: &ListItems,
        logical: Option<&LogicalPartition>,
    ) -> Result<std::result::Result<(GatheredPage, SessionToken), Arc<PhysicalPartition>>> {
        let epk_range = operation.feed_range.epk_range(&container.identity.definition);
        let items_max = operation.page.items_max.unwrap_or(PAGE_ITEMS_DEFAULT).max(1);
        let mut session_token = SessionToken::default();
        let mut gathered = GatheredPage::new(items_max);
        let partitions = container.map().overlapping(&epk_range);
        let mut left = partitions.len();
        for partition in partitions {
            left -= 1;
            session::check(operation.options.session_token.as_ref(), &partition)?;
            let request = self.metered(OperationKind::List);
            let asked = logical.map(LogicalPartition::partition_ref);
            // Only asks. The charge is known at the end and debited from all visited partitions together.
            Admission::new(&container.throughput, &partition.throughput, request, asked)?;
            // Before the scan: everything up to this lsn is in what follows.
            session_token.advance(partition.identity.number, partition.published.lsn());
            gathered.visited.push(Arc::clone(&partition.throughput));
            // Before the view: what is listed now is listed in the view.
            let mut sections = position.sections(&partition, &epk_range, logical)?.into_iter();
            let view = self.store().snapshot().await?;
            for section in sections.by_ref() {
                let reader =
                    SectionReader::new((self, &view), container, &partition, logical, section);
                reader.gather(position, &mut gathered).await?;
                if gathered.is_full() {
                    break;
                }
            }
            if partition.published.is_retired() {
                return Ok(Err(partition));
            }
            // A page never crosses physical partitions, so that its session token names one. An empty partition is
            // passed over: an empty page would cost a round trip.
            if !gathered.items.is_empty() || gathered.is_full() {
                // A full page of all items says that more may follow, as in the service; see `is_open_ended` of
                // queries.
                let is_of_key = matches!(operation.feed_range, FeedRange::PartitionKey(_));
                let is_open = !is_of_key && gathered.is_full();
                gathered.more |= is_open || left > 0 || sections.next().is_some();
                break;
            }
        }
        Ok(Ok((gathered, session_token)))
    }
}

pub(super) fn is_full(container: &ContainerEntry, key: &PartitionKey) -> bool {
    key.components().len() == container.identity.definition.paths().len()
}
