//! Queries that a client resumes after values it names.
//!
//! Owns the direction in which equal values come, which depends on the indexes of the container. The condition is made
//! by the crate `query`.

use ::query::plan::access::{Indexes, plan_access};
use ::query::{Parameters, resume_query};
use model::Json;

use super::error::bad_query;
use super::prepare::parse_and_bind;
use crate::engine::Engine;
use crate::error::Result;
use crate::operation::ContainerLink;

impl Engine {
    /// The text of a query with the condition of a resume filter: `{"value":[...],"rid":"...","exclude":false}`. The
    /// text can be run like any other, and continues with the tokens of the query without the filter.
    ///
    /// # Errors
    /// `BadQuery` when the text is invalid or has no ORDER BY, or when the filter does not fit it.
    pub fn resumed_query_text(
        &self,
        container: &ContainerLink,
        (text, parameters): (&str, &Parameters),
        filter: &Json,
    ) -> Result<String> {
        let compiled = self.container(container)?.compiled();
        let (_, bound) = parse_and_bind(self, &compiled.computed, text, parameters)?;
        let indexes = Indexes::new(&compiled.properties.indexing_policy);
        let access = plan_access(&bound, &indexes).map_err(|error| bad_query(vec![error]))?;
        resume_query(text, filter, access.order.is_reversed()).map_err(bad_query)
    }
}
