//! Queries over values in memory, such as the resources of a list.
//!
//! They run the same language over a slice of JSON values: no pages, no index.

use ::query::{ComputedProperties, EvaluationContext, Parameters, QueryExecutor, row_text};
use bytes::Bytes;
use model::Json;

use super::error::evaluation_failed;
use super::evaluation::to_query_time;
use super::prepare::parse_and_bind;
use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// Runs a query over values in memory.
    ///
    /// # Errors
    /// `BadQuery` for an invalid text or an evaluation error.
    pub fn query_values(
        &self,
        text: &str,
        parameters: &Parameters,
        values: &[Json],
    ) -> Result<Vec<Bytes>> {
        let (_, bound) = parse_and_bind(self, &ComputedProperties::default(), text, parameters)?;
        let context = EvaluationContext::starting_at(to_query_time(self.now()));
        let mut executor = QueryExecutor::new(&bound, context);
        for value in values {
            executor.push(value).map_err(|error| evaluation_failed(&error))?;
        }
        let rows = executor.finish().map_err(|error| evaluation_failed(&error))?;
        let texts = rows.iter().map(|row| row_text(row).map(Bytes::from));
        texts.collect::<std::result::Result<_, _>>().map_err(|error| evaluation_failed(&error))
    }
}
