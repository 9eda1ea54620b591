//! How a query would run, in words.
//!
//! Owns the operation and the sentences. Reads nothing but the catalog.

use std::sync::Arc;

use ::query::plan::access::plan_in_words;

use super::answer::QueryExplanation;
use super::part::{check, pieces, targets};
use super::prepared::{Filtered, Prepared, bind_text, common_indexes};
use super::request::QueryItems;
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::outcome::Outcome;

impl Engine {
    /// The numbers of the rules of advice that a query text meets; a text that is no query meets none.
    #[must_use]
    pub fn query_advice(&self, text: &str) -> Vec<&'static str> {
        ::query::parse(text).map(|tree| ::query::plan::advice(&tree)).unwrap_or_default()
    }

    /// Explains a query without running it.
    ///
    /// # Errors
    /// `BadQuery` for a wrong text, or an order that no index has.
    pub async fn explain_query(&self, operation: QueryItems) -> Result<Outcome<QueryExplanation>> {
        let container = self.container(&operation.container)?;
        check(&container, &operation.feed_range)?;
        let live = container.live();
        let (tree, bound) =
            bind_text(self, &live.computed, &operation.text, &operation.parameters)?;
        let query = Arc::new(Filtered::new(bound));
        let (partition_filter, targets) = targets(&container, &operation.feed_range, &query);
        let pieces = pieces(&container.map(), &targets);
        let followed = common_indexes(self.store(), &live, &pieces).await?;
        let prepared = Prepared::new(query, followed.indexes)?;
        let (bound, indexes) = (prepared.bound(), &prepared.indexes);
        let value = QueryExplanation {
            partition_filter,
            partitions: pieces
                .iter()
                .map(|piece| (piece.partition.identity.number, piece.range.clone()))
                .collect(),
            words: plan_in_words(&tree, bound, &prepared.access, indexes),
            index_metrics: prepared.index_metrics(),
            access: prepared.access,
        };
        Ok(Outcome {
            value,
            charge: charge::metadata_read(),
            session_token: None,
            explanation: None,
        })
    }
}
