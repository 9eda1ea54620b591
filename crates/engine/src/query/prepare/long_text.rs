//! Queries with a long text or large parameters: parsed, bound and planned on a thread.
//!
//! Owns which queries are long, and where each of these steps runs. Does not own the steps.

use std::sync::Arc;
use std::time::Duration;

use ::query::Parameters;
use ::query::plan::access::Indexes;

use super::prepared::PreparedQuery;
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::Result;
use crate::query::planned::PlannedQuery;
use crate::query::request::QueryItems;

impl Engine {
    /// Whether preparing a query takes more than a few milliseconds, so that it belongs on a thread.
    pub(in crate::query) fn is_long_query(&self, text: &str, parameters: &Parameters) -> bool {
        let bytes_max = self.core.settings.large_item_bytes;
        text.len() > bytes_max || parameters.exceed(bytes_max)
    }

    /// Prepares a query; one with a long text or large parameters on a thread.
    pub(in crate::query) async fn prepare_operation(
        &self,
        container: &ContainerEntry,
        operation: QueryItems,
        is_long: bool,
    ) -> Result<(QueryItems, Arc<PreparedQuery>)> {
        let (engine, compiled) = (self.clone(), container.compiled());
        let time_max = operation.limits.time_max;
        let prepare = move || {
            let (text, parameters) = (&operation.text, &operation.parameters);
            let prepared = engine.prepare_query(&compiled, text, parameters)?;
            Ok((operation, prepared))
        };
        if !is_long {
            return prepare();
        }
        let work = self.request_work(time_max);
        // Boxed, like everything that is rare here: its future would enlarge that of every query.
        Box::pin(self.evaluate(&work, prepare)).await?
    }

    /// Plans a query; on a thread within a time limit if it is long.
    pub(in crate::query) async fn plan_prepared(
        &self,
        prepared: &Arc<PreparedQuery>,
        indexes: Arc<Indexes>,
        long_time_max: Option<Option<Duration>>,
    ) -> Result<Arc<PlannedQuery>> {
        let Some(time_max) = long_time_max else { return prepared.plan(indexes) };
        let (prepared, work) = (Arc::clone(prepared), self.request_work(time_max));
        Box::pin(self.evaluate(&work, move || prepared.plan(indexes))).await?
    }
}
