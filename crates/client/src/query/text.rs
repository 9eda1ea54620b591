//! The text of a query, its parameters, and the part of the container it may read.

use model::{FeedRange, Json, PartitionKey};

use crate::call::Part;

/// A query that cannot be sent yet: nobody has said where it may look.
#[derive(Clone, Debug)]
pub struct QueryText {
    text: &'static str,
    parameters: Vec<(&'static str, Json)>,
}

/// A query that knows where it may look.
///
/// ```
/// use planisphere_client::{PartitionKey, Query};
/// let text = Query::text("SELECT * FROM c WHERE c.total > @least").parameter("@least", 5);
/// let one_customer = text.clone().within("ann".into());
/// let everywhere = text.fan_out("the nightly report sums all customers");
/// ```
///
/// Without a part there is nothing to send:
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
/// Nor can a value be put into the text:
///
/// ```compile_fail,E0597
/// let name = String::from("x' OR true --");
/// let text = format!("SELECT * FROM c WHERE c.name = '{name}'");
/// let query = planisphere_client::Query::text(&text); // `text` does not live long enough
/// ```
#[derive(Clone, Debug)]
pub struct Query {
    text: QueryText,
    part: Part,
    reason: Option<&'static str>,
}

impl Query {
    /// Begins a query. Values go into [`QueryText::parameter`], never into the text.
    #[must_use]
    pub fn text(text: &'static str) -> QueryText {
        QueryText { text, parameters: Vec::new() }
    }

    pub(crate) fn query_text(&self) -> &QueryText {
        &self.text
    }

    pub(crate) fn part(&self) -> &Part {
        &self.part
    }

    /// Why it asks everywhere; none for a query with a partition key.
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

    /// Looks into one logical partition.
    #[must_use]
    pub fn within(self, partition_key: PartitionKey) -> Query {
        Query { text: self, part: Part::PartitionKey(partition_key), reason: None }
    }

    /// Looks into the logical partitions whose hierarchical partition key begins so.
    #[must_use]
    pub fn within_prefix(self, prefix: PartitionKey) -> Query {
        Query { text: self, part: Part::Prefix(prefix), reason: None }
    }

    /// Looks into one of the parts that [`crate::Container::feed_ranges`] gives. Together they are the container, so
    /// the reason is told as for [`QueryText::fan_out`].
    #[must_use]
    pub fn within_feed_range(self, range: FeedRange, reason: &'static str) -> Query {
        Query { text: self, part: Part::FeedRange(range), reason: Some(reason) }
    }

    /// Looks everywhere. The reason is for whoever reads the code and the log; see [`crate::Account::fan_outs`].
    #[must_use]
    pub fn fan_out(self, reason: &'static str) -> Query {
        Query { text: self, part: Part::Container, reason: Some(reason) }
    }

    pub(crate) fn text(&self) -> &'static str {
        self.text
    }

    pub(crate) fn parameters(&self) -> &[(&'static str, Json)] {
        &self.parameters
    }
}
