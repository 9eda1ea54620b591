//! One page of a query over a snapshot that a transaction has prepared.
//!
//! Owns the steps of such a page: those of `execute`, without finding partitions, admission and samples, which belong
//! to the request around it.

use std::sync::Arc;

use model::SessionToken;
use storage::Read;

use super::continuation::{QueryProgress, TokenScope};
use super::execute::QuerySnapshot;
use super::planned::common_indexes;
use super::request::QueryItems;
use super::response::QueryPage;
use super::source::PageReader;
use super::target::{partition_slices, target_ranges};
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::Result;
use crate::partition::{PartitionMap, PhysicalPartition};
use crate::response::Response;

impl Engine {
    /// Runs a page of a query over one physical partition as the store shows it.
    pub(crate) async fn query_snapshot(
        &self,
        container: &Arc<ContainerEntry>,
        operation: &QueryItems,
        (partition, store): (Arc<PhysicalPartition>, Arc<dyn Read>),
    ) -> Result<Response<QueryPage>> {
        let compiled = container.compiled();
        let prepared = self.prepare_query(&compiled, &operation.text, &operation.parameters)?;
        let scope = TokenScope {
            operation,
            container: &container.identity,
            ordered_text: prepared.ordered_text,
        };
        let progress = QueryProgress::from_request(&scope)?;
        let query = prepared.query.as_ref();
        let functions = match query.bound.user_functions.is_empty() {
            true => None,
            false => Some(self.load_functions(container, &query.bound, &operation.limits).await?),
        };
        let (_, targets) = target_ranges(container, &operation.feed_range, query);
        // The partition of the transaction, also if the container was split meanwhile: then the commit fails.
        let map = PartitionMap { generation: 0, partitions: vec![partition] };
        let slices = partition_slices(&map, &targets);
        let snapshot = QuerySnapshot { slices, store, session_token: SessionToken::default() };
        let partitions =
            common_indexes(snapshot.store.as_ref(), &compiled, &snapshot.slices).await?;
        let planned = prepared.plan(Arc::clone(&partitions.indexes))?;
        let source = (Arc::clone(&snapshot.store), partitions);
        let mut reader =
            PageReader::new(self, source, &container.identity, &compiled, &operation.limits);
        reader.functions = functions;
        let page = self.read_page(&mut reader, &snapshot, &planned, &scope, progress);
        let value = Box::pin(page).await?;
        let level = self.charges().read_level(operation.options.consistency);
        let charge = reader.charges.totals().charge(level) + reader.function_charge();
        Ok(Response { value, charge, session_token: None, explanation: None })
    }
}
