//! The query plan document for clients that merge the results of partitions themselves.

use ::query::plan::distribute::{DistributedQuery, PlanContext, distribute};
use model::Json;

use super::error::bad_query;
use super::parse::parse_and_bind;
use super::request::PlanQuery;
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::response::Response;

impl Engine {
    /// Plans a query for a client that runs it on each physical partition and merges the rows itself.
    ///
    /// # Errors
    /// `BadQuery` if the text is invalid, the query cannot be distributed, or the client lacks a feature it needs.
    pub async fn query_plan(&self, operation: PlanQuery) -> Result<Response<Json>> {
        let plan = self.distribute_query(&operation)?;
        Ok(Response {
            value: plan.to_json(),
            charge: charge::metadata_read(),
            session_token: None,
            explanation: None,
        })
    }

    /// Distributes a query over physical partitions.
    pub(super) fn distribute_query(&self, operation: &PlanQuery) -> Result<DistributedQuery> {
        let container = self.container(&operation.container)?;
        let compiled = container.compiled();
        let (tree, bound) =
            parse_and_bind(self, &compiled.computed, &operation.text, &operation.parameters)?;
        let context = PlanContext {
            partition_key: &container.identity.definition,
            vectors: compiled.properties.vector_embedding_policy.as_ref(),
            features: operation.features,
        };
        distribute(&tree, &bound, &context).map_err(|error| bad_query(vec![error]))
    }
}
