//! Explains how a query would run, without running it.
//!
//! Reads only the catalog and the states of the partitions.

use std::sync::Arc;

use ::query::plan::access::describe_plan;

use super::planned::{AnalyzedQuery, PlannedQuery, common_indexes};
use super::prepare::parse_and_bind;
use super::request::QueryItems;
use super::response::QueryExplanation;
use super::target::{check_feed_range, partition_slices, target_ranges};
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::response::Response;

impl Engine {
    /// The ids of the advice rules that a query text triggers; none for a text that does not parse.
    #[must_use]
    pub fn query_advice(&self, text: &str) -> Vec<&'static str> {
        ::query::parse(text).map(|tree| ::query::plan::advice(&tree)).unwrap_or_default()
    }

    /// Explains a query without running it.
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
    /// use planisphere_engine::query::QueryItems;
    ///
    /// let query = QueryItems::new(orders, "SELECT * FROM c WHERE c.total > 10");
    /// for line in engine.explain_query(query).await?.value.words {
    ///     println!("{line}");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadQuery` for an invalid text, or an ORDER BY that no index supports.
    pub async fn explain_query(&self, operation: QueryItems) -> Result<Response<QueryExplanation>> {
        let container = self.container(&operation.container)?;
        check_feed_range(&container, &operation.feed_range)?;
        let compiled = container.compiled();
        let (tree, bound) =
            parse_and_bind(self, &compiled.computed, &operation.text, &operation.parameters)?;
        let query = Arc::new(AnalyzedQuery::new(bound));
        let (partition_filter, targets) = target_ranges(&container, &operation.feed_range, &query);
        let slices = partition_slices(&container.map(), &targets);
        // Indexes that every partition has completed: the same choice that running the query would make.
        let partitions = common_indexes(self.store(), &compiled, &slices).await?;
        let planned = PlannedQuery::new(query, partitions.indexes)?;
        let (bound, indexes) = (planned.bound(), &planned.indexes);
        let value = QueryExplanation {
            partition_filter,
            partitions: slices
                .iter()
                .map(|slice| (slice.partition.identity.number, slice.range.clone()))
                .collect(),
            words: describe_plan(&tree, bound, &planned.access, indexes),
            index_metrics: planned.index_metrics(),
            access: planned.access,
        };
        Ok(Response {
            value,
            charge: charge::metadata_read(),
            session_token: None,
            explanation: None,
        })
    }
}
