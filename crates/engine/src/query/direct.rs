//! Decides whether a query over a whole container can be answered directly, or a client must merge the results of its
//! partitions.
//!
//! The rule itself is in the planner (`query::plan::distribute`).

use ::query::plan::distribute::{DirectService, direct_service};
use model::Json;

use super::error::bad_query;
use super::request::PlanQuery;
use crate::engine::Engine;
use crate::error::Result;

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
    /// Decides how a query without a partition key or feed range is answered.
    ///
    /// # Errors
    /// `BadQuery` if the text is invalid or no client could merge the results.
    pub fn direct_query(&self, operation: &PlanQuery) -> Result<DirectQuery> {
        let plan = self.distribute_query(operation)?;
        if plan.is_single_key {
            return Ok(DirectQuery::OneLogicalPartition);
        }
        match direct_service(&plan) {
            DirectService::Served => Ok(DirectQuery::Served),
            DirectService::NeedsPlan => {
                let words = ::query::plan::distribute::NOT_SERVED_DIRECTLY;
                Ok(DirectQuery::NeedsPlan(plan.to_json(), words))
            }
            DirectService::Refused(error) => Err(bad_query(vec![error])),
        }
    }
}
