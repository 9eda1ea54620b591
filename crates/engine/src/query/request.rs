//! Requests: run a query, explain it, or plan it for a client.

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
    /// The container to query.
    pub container: ContainerLink,
    /// The query text.
    pub text: String,
    /// Values of its parameters.
    pub parameters: Parameters,
    /// The part of the container to read.
    pub feed_range: FeedRange,
    /// Page size and continuation token.
    pub page: PageOptions,
    /// Session token and other read options.
    pub options: ReadOptions,
    /// Limits of a page.
    pub limits: QueryLimits,
    /// Whether to report which indexes the query used or would need.
    pub wants_index_metrics: bool,
}

/// Limits of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// Time limit. A page that can be continued ends early when it is reached; any other query fails.
    pub time_max: Option<Duration>,
    /// Bytes of the rows of a page. A page has at least one row, however large.
    pub response_bytes_max: usize,
    /// Bytes of memory for grouping, sorting and DISTINCT.
    pub held_bytes_max: usize,
}

/// Asks how a client would distribute a query over physical partitions.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanQuery {
    /// The container to query.
    pub container: ContainerLink,
    /// The query text.
    pub text: String,
    /// Values of its parameters.
    pub parameters: Parameters,
    /// Features that the client supports.
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
