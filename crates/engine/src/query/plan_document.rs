//! The query plan document that clients ask for.
//!
//! Owns the operation, and the split of a query that it shares with `direct`. Does not own the document: the planner
//! makes it.

use ::query::plan::distribute::{DistributedQuery, PlanContext, distribute};
use model::Json;

use super::prepared::bind_text;
use super::refusal::bad_query;
use super::request::PlanQuery;
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::outcome::Outcome;

impl Engine {
    /// Plans a query for a client that runs it on physical partitions and merges the rows itself.
    ///
    /// # Errors
    /// `BadQuery` when the text is wrong, when no split exists, or when the client lacks a feature the split needs.
    pub async fn query_plan(&self, operation: PlanQuery) -> Result<Outcome<Json>> {
        let plan = self.split_query(&operation)?;
        Ok(Outcome {
            value: plan.to_json(),
            charge: charge::metadata_read(),
            session_token: None,
            explanation: None,
        })
    }

    /// Splits a query over physical partitions.
    pub(super) fn split_query(&self, operation: &PlanQuery) -> Result<DistributedQuery> {
        let container = self.container(&operation.container)?;
        let live = container.live();
        let (tree, bound) =
            bind_text(self, &live.computed, &operation.text, &operation.parameters)?;
        let context = PlanContext {
            partition_key: &container.identity.definition,
            vectors: live.properties.vector_embedding_policy.as_ref(),
            features: operation.features,
        };
        distribute(&tree, &bound, &context).map_err(|error| bad_query(vec![error]))
    }
}
