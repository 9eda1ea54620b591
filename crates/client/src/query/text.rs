//! The text of a query, its parameters, and the scope that it may read.

use model::{FeedRange, Json, PartitionKey};

/// The text and parameters of a query. It cannot be sent until it has a scope.
#[derive(Clone, Debug)]
pub struct QueryText {
    // Static: a value cannot be formatted into the text, so there is no injection.
    text: &'static str,
    parameters: Vec<(&'static str, Json)>,
}

/// The part of a container that a query reads.
#[derive(Clone, Debug)]
pub(crate) enum QueryScope {
    /// One logical partition.
    PartitionKey(PartitionKey),
    /// The logical partitions whose hierarchical partition keys have this prefix.
    Prefix(PartitionKey),
    /// One of the feed ranges of the container.
    FeedRange(FeedRange),
    /// The whole container.
    Container,
}

/// A query with a scope.
///
/// ```
/// use planisphere_client::{PartitionKey, Query};
/// let text = Query::text("SELECT * FROM c WHERE c.total > @least").parameter("@least", 5);
/// let one_customer = text.clone().within("ann".into());
/// let everywhere = text.fan_out("the nightly report sums all customers");
/// ```
///
/// A query without a scope cannot be sent:
///
/// ```compile_fail,E0308
/// # async fn send(orders: &planisphere_client::Container) -> planisphere_client::Result<()> {
/// let text = planisphere_client::Query::text("SELECT * FROM c");
/// orders.query::<client_doc::Order>(&text).await?; // expected `&Query`, found `&QueryText`
/// # Ok(())
/// # }
/// # mod client_doc { #[derive(serde::Deserialize)] pub struct Order {} }
/// ```
///
/// A value cannot be formatted into the text:
///
/// ```compile_fail,E0597
/// let name = String::from("x' OR true --");
/// let text = format!("SELECT * FROM c WHERE c.name = '{name}'");
/// let query = planisphere_client::Query::text(&text); // `text` does not live long enough
/// ```
#[derive(Clone, Debug)]
pub struct Query {
    text: QueryText,
    scope: QueryScope,
    reason: Option<&'static str>,
}

impl Query {
    /// Starts a query. Values are passed with [`QueryText::parameter`], never in the text.
    #[must_use]
    pub fn text(text: &'static str) -> QueryText {
        QueryText { text, parameters: Vec::new() }
    }

    pub(crate) fn query_text(&self) -> &QueryText {
        &self.text
    }

    pub(crate) fn scope(&self) -> &QueryScope {
        &self.scope
    }

    /// The reason for reading all partitions; `None` for a query with a partition key.
    pub(crate) fn reason(&self) -> Option<&'static str> {
        self.reason
    }
}

impl QueryText {
    /// Adds the value of a parameter, whose name starts with `@`.
    #[must_use]
    pub fn parameter(mut self, name: &'static str, value: impl Into<Json>) -> Self {
        self.parameters.push((name, value.into()));
        self
    }

    /// Reads one logical partition.
    #[must_use]
    pub fn within(self, partition_key: PartitionKey) -> Query {
        Query { text: self, scope: QueryScope::PartitionKey(partition_key), reason: None }
    }

    /// Reads the logical partitions whose hierarchical partition key has this prefix.
    #[must_use]
    pub fn within_prefix(self, prefix: PartitionKey) -> Query {
        Query { text: self, scope: QueryScope::Prefix(prefix), reason: None }
    }

    /// Reads one of the ranges that [`crate::Container::feed_ranges`] returns. Together they cover the container, so
    /// this needs a reason like [`QueryText::fan_out`].
    #[must_use]
    pub fn within_feed_range(self, range: FeedRange, reason: &'static str) -> Query {
        Query { text: self, scope: QueryScope::FeedRange(range), reason: Some(reason) }
    }

    /// Reads all partitions. The reason documents why in the code and in the log; see [`crate::Account::fan_outs`].
    #[must_use]
    pub fn fan_out(self, reason: &'static str) -> Query {
        Query { text: self, scope: QueryScope::Container, reason: Some(reason) }
    }

    /// Exchanges the text; the parameters stay.
    pub(crate) fn replace(&mut self, text: &'static str) {
        self.text = text;
    }

    pub(crate) fn text(&self) -> &'static str {
        self.text
    }

    pub(crate) fn parameters(&self) -> &[(&'static str, Json)] {
        &self.parameters
    }
}
