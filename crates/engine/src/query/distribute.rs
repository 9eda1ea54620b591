//! Queries over several partitions whose results a client merges.
//!
//! Builds the query plan document for such clients, and decides whether a query over a whole container needs one or can
//! be answered directly. The rules are in the planner (`query::plan::distribute`).

use ::query::plan::distribute::{
    DirectService, DistributedQuery, NOT_SERVED_DIRECTLY, PlanContext, direct_service, distribute,
};
use model::Json;

use super::error::bad_query;
use super::prepare::parse_and_bind;
use super::request::PlanQuery;
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::response::Response;

/// How a query without a partition key or feed range is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum DirectQuery {
    /// The filter restricts it to one logical partition.
    OneLogicalPartition,
    /// Directly: the rows of the partitions can be concatenated.
    Served,
    /// Not at all: a client must merge. Holds the query plan document and the error message.
    NeedsPlan(Json, &'static str),
}

impl Engine {
    /// Plans a query for a client that runs it on each physical partition and merges the rows itself.
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
    /// use planisphere_engine::query::{FeatureSet, PlanQuery};
    ///
    /// let query = PlanQuery {
    ///     container: orders,
    ///     text: "SELECT VALUE COUNT(1) FROM c".to_owned(),
    ///     parameters: Default::default(),
    ///     features: FeatureSet::full(),
    /// };
    /// println!("{}", engine.query_plan(query).await?.value);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadQuery` if the text is invalid, the query cannot be distributed, or the client lacks a feature it needs.
    pub async fn query_plan(&self, operation: PlanQuery) -> Result<Response<Json>> {
        let plan = self.distribute_query(operation).await?;
        Ok(Response {
            value: plan.to_json(),
            charge: charge::metadata_read(),
            session_token: None,
            explanation: None,
        })
    }

    /// Decides how a query without a partition key or feed range is answered.
    ///
    /// # Errors
    /// `BadQuery` if the text is invalid or no client could merge the results.
    pub async fn direct_query(&self, operation: PlanQuery) -> Result<DirectQuery> {
        let plan = self.distribute_query(operation).await?;
        if plan.is_single_key {
            return Ok(DirectQuery::OneLogicalPartition);
        }
        match direct_service(&plan) {
            DirectService::Served => Ok(DirectQuery::Served),
            DirectService::NeedsPlan => {
                Ok(DirectQuery::NeedsPlan(plan.to_json(), NOT_SERVED_DIRECTLY))
            }
            DirectService::Refused(error) => Err(bad_query(vec![error])),
        }
    }

    /// Distributes a query over physical partitions; a long one on a thread.
    async fn distribute_query(&self, operation: PlanQuery) -> Result<DistributedQuery> {
        if !self.is_long_query(&operation.text, &operation.parameters) {
            return self.distribute_text(&operation);
        }
        let engine = self.clone();
        Box::pin(self.run_long(move || engine.distribute_text(&operation))).await?
    }

    fn distribute_text(&self, operation: &PlanQuery) -> Result<DistributedQuery> {
        let container = self.container(&operation.container)?;
        let compiled = container.compiled();
        let (tree, bound) =
            parse_and_bind(self, &compiled.computed, &operation.text, &operation.parameters)?;
        let context = PlanContext {
            partition_key: &container.identity.definition,
            vectors: compiled.properties.vector_embedding_policy.as_ref(),
            geospatial: compiled.properties.geospatial_config,
            features: operation.features,
        };
        distribute(&tree, &bound, &context).map_err(|error| bad_query(vec![error]))
    }
}
