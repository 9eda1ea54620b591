//! Queries over values in memory, such as the resources of a list.
//!
//! They run the same language over a list of JSON values: no pages, no index.

use std::sync::Arc;

use ::query::{ComputedProperties, EvaluationContext, Parameters, QueryExecutor, row_text};
use bytes::Bytes;
use model::Json;

use super::error::evaluation_failed;
use super::evaluation::to_query_time;
use super::prepare::parse_and_bind;
use super::request::QueryLimits;
use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// Runs a query over values in memory.
    ///
    /// # Errors
    /// `BadQuery` for an invalid text or an evaluation error, `OutOfTime` if the query exceeds its limits.
    pub async fn query_values(
        &self,
        text: &str,
        parameters: &Parameters,
        values: Vec<Json>,
        limits: &QueryLimits,
    ) -> Result<Vec<Bytes>> {
        let (_, bound) = parse_and_bind(self, &ComputedProperties::default(), text, parameters)?;
        let work = self.request_work(limits.time_max);
        let context = EvaluationContext {
            held_bytes_max: limits.held_bytes_max,
            governor: Arc::clone(&work) as Arc<dyn ::query::WorkGovernor>,
            ..EvaluationContext::starting_at(to_query_time(self.now()))
        };
        // Always on a thread: such queries are rare, and each may be long.
        let evaluate = move || {
            let mut executor = QueryExecutor::new(&bound, context);
            for value in &values {
                executor.push(value).map_err(|error| evaluation_failed(&error))?;
            }
            let rows = executor.finish().map_err(|error| evaluation_failed(&error))?;
            let texts = rows.iter().map(|row| row_text(row).map(Bytes::from));
            texts.collect::<Result<_, _>>().map_err(|error| evaluation_failed(&error))
        };
        self.evaluate(&work, evaluate).await?
    }
}
