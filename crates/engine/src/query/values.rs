//! A query over values that are no items: the few resources of a list, which are in memory.
//!
//! Owns the operation. It runs the same language over a list instead of a container; there are no pages and no index.

use ::query::{ComputedProperties, EvaluationContext, Executor, Parameters, row_text};
use bytes::Bytes;
use model::Json;

use super::prepared::{bind_text, moment};
use super::refusal::failed;
use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// Runs a query over values.
    ///
    /// # Errors
    /// `BadQuery` for a wrong text or a value without an answer.
    pub fn query_values(
        &self,
        text: &str,
        parameters: &Parameters,
        values: &[Json],
    ) -> Result<Vec<Bytes>> {
        let (_, bound) = bind_text(self, &ComputedProperties::default(), text, parameters)?;
        let context = EvaluationContext::at(moment(self.now()));
        let mut executor = Executor::new(&bound, context);
        for value in values {
            executor.push(value).map_err(|error| failed(&error))?;
        }
        let rows = executor.finish().map_err(|error| failed(&error))?;
        let texts = rows.iter().map(|row| row_text(row).map(Bytes::from));
        texts.collect::<std::result::Result<_, _>>().map_err(|error| failed(&error))
    }
}
