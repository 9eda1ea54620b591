//! Whether a query over a whole container is answered as it is, or a client must put the answers of partitions
//! together.
//!
//! Owns the operation. The rule is the planner's.

use ::query::plan::distribute::{DirectService, direct_service};
use model::Json;

use super::refusal::bad_query;
use super::request::PlanQuery;
use crate::engine::Engine;
use crate::error::Result;

/// What becomes of a query that names no part of its container.
#[derive(Clone, Debug, PartialEq)]
pub enum DirectQuery {
    /// Its filter leaves one logical partition.
    OneLogicalPartition,
    /// Rows of partitions can simply follow each other.
    Served,
    /// A client must merge; with the query plan document and the words of the refusal.
    NeedsPlan(Json, &'static str),
}

impl Engine {
    /// Tells what becomes of a query that names no part of its container.
    ///
    /// # Errors
    /// `BadQuery` when the text is wrong, or when no client could merge.
    pub fn direct_query(&self, operation: &PlanQuery) -> Result<DirectQuery> {
        let plan = self.split_query(operation)?;
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
