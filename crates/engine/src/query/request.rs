//! What a caller asks: run a query, explain it, or plan it for a client.
//!
//! Owns the three operations as plain data, and the limits of a run.

use std::time::Duration;

use ::query::Parameters;
use ::query::plan::distribute::FeatureSet;
use model::FeedRange;
use model::limits::PAGE_BYTES_MAX;

use crate::operation::{ContainerLink, PageOptions, ReadOptions};

/// Runs a query, page by page.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use planisphere_engine::query::QueryItems;
/// use planisphere_engine::{ContainerLink, Engine};
/// # use planisphere_engine::operation::{CreateContainer, CreateDatabase};
/// # use model::{ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, PartitionKeyDefinition};
/// let engine = Engine::in_memory().await?;
/// # let database = DatabaseId::new("d")?;
/// # let properties = DatabaseProperties { id: database.clone() };
/// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
/// # let properties =
/// #     ContainerProperties::new(ContainerId::new("c")?, PartitionKeyDefinition::single("/pk")?);
/// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
/// let query = QueryItems::new(ContainerLink::new("d", "c")?, "SELECT VALUE COUNT(1) FROM c");
/// let page = engine.query_items(query).await?.value;
/// assert_eq!(page.rows, ["0"]);
/// # engine.close().await
/// # }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QueryItems {
    /// Where.
    pub container: ContainerLink,
    /// The query text.
    pub text: String,
    /// The values of its parameters.
    pub parameters: Parameters,
    /// Which part of the container.
    pub feed_range: FeedRange,
    /// Which page.
    pub page: PageOptions,
    /// Options.
    pub options: ReadOptions,
    /// How much a page may take.
    pub limits: QueryLimits,
    /// Whether the page says which indexes the query used or misses.
    pub wants_index_metrics: bool,
}

/// How much one page of a query may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// How long a page may take. A page that can be continued ends early then; any other query fails.
    pub time_max: Option<Duration>,
    /// Bytes of the rows of a page. A page holds one row at least.
    pub response_bytes_max: usize,
    /// Bytes held for grouping, ordering and DISTINCT.
    pub held_bytes_max: usize,
}

/// Asks how a client would split a query over physical partitions.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanQuery {
    /// Where.
    pub container: ContainerLink,
    /// The query text.
    pub text: String,
    /// The values of its parameters.
    pub parameters: Parameters,
    /// What the client can do.
    pub features: FeatureSet,
}

impl QueryItems {
    /// A query over a whole container, without parameters, from its first page.
    #[must_use]
    pub fn new(container: ContainerLink, text: impl Into<String>) -> Self {
        Self {
            container,
            text: text.into(),
            parameters: Parameters::new(),
            feed_range: FeedRange::Container,
            page: PageOptions::default(),
            options: ReadOptions::default(),
            limits: QueryLimits::default(),
            wants_index_metrics: false,
        }
    }
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self { time_max: None, response_bytes_max: PAGE_BYTES_MAX, held_bytes_max: 256 << 20 }
    }
}
