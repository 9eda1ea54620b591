//! Runs one page of a query.
//!
//! The steps: prepare the query, find the slices of the container to read, take a snapshot of them, plan, select the
//! access path, fill the page, issue the continuation token.

use std::sync::Arc;

use ::query::EvaluationContext;
use ::query::bind::BoundOrderBy;
use ::query::plan::access::Lookup;
use ::query::plan::metrics::IndexMetrics;
use model::limits::PAGE_ITEMS_DEFAULT;
use model::{FeedRange, SessionToken};
use storage::Read;

use super::continuation::{ContinuationPosition, QueryProgress, TokenScope};
use super::error::invalid_token;
use super::evaluation::evaluation_context;
use super::page::{
    MaterializedRun, PageBuilder, Rest, RowProjector, StreamingPage, read_stored_rows,
};
use super::planned::{AnalyzedQuery, PlannedQuery, common_indexes};
use super::request::QueryItems;
use super::response::QueryPage;
use super::source::{AccessPathSelector, CandidateSource, PageReader};
use super::target::{PartitionSlice, check_feed_range, partition_slices, target_ranges};
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::{LogicalPartition, ResultKey};
use crate::metering::{Amount, OperationKind, PageUse};
use crate::partition::PhysicalPartition;
use crate::response::Response;
use crate::session;
use crate::throughput::{MultiAdmission, PartitionThroughput};

/// What a page reads: slices of a container, and a snapshot that splits and merges do not affect.
pub(super) struct QuerySnapshot {
    pub(super) slices: Vec<PartitionSlice>,
    pub(super) store: Arc<dyn Read>,
    pub(super) session_token: SessionToken,
}

impl Engine {
    /// Runs one page of a query over all partitions of its feed range.
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
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// # let create = CreateItem {
    /// #     container: orders.clone(),
    /// #     partition_key: None,
    /// #     item: order(r#"{"id":"1","customer":"ann","total":5}"#)?,
    /// #     options: WriteOptions::default(),
    /// # };
    /// # engine.create_item(create).await?;
    /// use planisphere_engine::query::QueryItems;
    ///
    /// let query = QueryItems::new(orders, "SELECT VALUE c.total FROM c WHERE c.total > 4");
    /// let page = engine.query_items(query).await?;
    /// assert_eq!(page.value.rows[0].as_ref(), b"5");
    /// println!("{} RU", page.charge);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadQuery` for an invalid text or an evaluation error, `ContinuationRefused` for a token of another query,
    /// `SessionNotAvailable` for a session token that is ahead of a partition, `OutOfTime` if a query that needs all
    /// items exceeds its time limit.
    pub async fn query_items(&self, operation: QueryItems) -> Result<Response<QueryPage>> {
        let started = self.stopwatch();
        let container = self.container(&operation.container)?;
        check_feed_range(&container, &operation.feed_range)?;
        // Everything that can be refused is refused before the snapshot: a snapshot holds back compaction in the
        // store.
        let is_long = self.is_long_query(&operation.text, &operation.parameters);
        let (operation, prepared) = self.prepare_operation(&container, operation, is_long).await?;
        let scope = TokenScope {
            operation: &operation,
            container: &container.identity,
            ordered_text: prepared.ordered_text,
        };
        let progress = QueryProgress::from_request(&scope)?;
        let query = prepared.query.as_ref();
        let mut functions = None;
        if !query.bound.user_functions.is_empty() {
            let load = self.load_functions(&container, &query.bound, &operation.limits);
            functions = Some(Box::pin(load).await?);
        }
        let prepared_at = self.stopwatch();
        let snapshot = self.open_snapshot(&container, &operation, query).await?;
        // After the snapshot, because the slices name the partitions to ask. A refused query has read nothing yet.
        let admission = self.admit_query(&container, &snapshot.slices)?;
        let opening_time = self.stopwatch().saturating_sub(prepared_at);
        // Read again: the properties that were current before the snapshot may be older than the states in it.
        let compiled = container.compiled();
        let partitions =
            common_indexes(snapshot.store.as_ref(), &compiled, &snapshot.slices).await?;
        let (indexes, time_max) = (Arc::clone(&partitions.indexes), operation.limits.time_max);
        let planned = self.plan_prepared(&prepared, indexes, is_long.then_some(time_max)).await?;
        // Waiting for a new partition map is not compile time.
        let compile_time = self.stopwatch().saturating_sub(started + opening_time);
        let session_token = snapshot.session_token.clone();
        let store = (Arc::clone(&snapshot.store), partitions);
        let mut reader =
            PageReader::new(self, store, &container.identity, &compiled, &operation.limits);
        (reader.metrics.compile_time, reader.functions) = (compile_time, functions);
        // Boxed: this part of the future is as large as all the rest, and the whole is moved when it begins.
        let reading = self.read_page(&mut reader, &snapshot, &planned, &scope, progress);
        let mut value = Box::pin(reading).await?;
        reader.metrics.total_time = self.stopwatch().saturating_sub(started);
        value.metrics = std::mem::take(&mut reader.metrics);
        let (counters, level) =
            (reader.charges.totals(), self.charges().read_level(operation.options.consistency));
        let charge = counters.charge(level) + reader.function_charge();
        let explain = operation.options.explain_charge;
        let explanation = explain.then(|| self.charges().explained("query", counters.terms(level)));
        let metrics = &value.metrics;
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (items, bytes) = (count(metrics.output_items), count(metrics.output_bytes));
        // Debited once the charge is known. A query that fails before costs nothing here.
        admission.debit(charge, Amount { items, bytes });
        self.sample_query(
            &container,
            &operation,
            &PageUse {
                text: &operation.text,
                charge,
                is_across: !admission.is_single_logical_partition(),
                partitions: admission.partition_count(),
                is_scan: metrics.items_scanned > 0,
                retrieved_items: metrics.retrieved_items,
                output_items: metrics.output_items,
                generation: compiled.generation,
                index_metrics: &|| planned.index_metrics(),
            },
        );
        Ok(Response { value, charge, session_token: Some(session_token), explanation })
    }

    /// Asks for admission to the partitions that a query reads.
    fn admit_query<'a>(
        &self,
        container: &'a ContainerEntry,
        slices: &'a [PartitionSlice],
    ) -> Result<MultiAdmission<'a>> {
        let mut partitions: Vec<Arc<PartitionThroughput>> = Vec::new();
        for slice in slices {
            let partition = &slice.partition.throughput;
            // Several slices may lie in one partition (an IN over partition keys); it is asked once.
            if !partitions.iter().any(|admitted| Arc::ptr_eq(admitted, partition)) {
                partitions.push(Arc::clone(partition));
            }
        }
        let logical = match slices {
            [only] => only.logical.as_ref().map(LogicalPartition::partition_ref),
            _ => None,
        };
        let request = self.metered(OperationKind::Query);
        MultiAdmission::new(&container.throughput, partitions, request, logical)
    }

    /// Finds the slices of a container that a query reads and takes a snapshot of them.
    async fn open_snapshot(
        &self,
        container: &ContainerEntry,
        operation: &QueryItems,
        query: &AnalyzedQuery,
    ) -> Result<QuerySnapshot> {
        loop {
            match self.try_open_snapshot(container, operation, query).await? {
                Ok(snapshot) => return Ok(snapshot),
                Err(retired) => Box::pin(self.wait_for_map_without(container, &retired)).await?,
            }
        }
    }

    async fn try_open_snapshot(
        &self,
        container: &ContainerEntry,
        operation: &QueryItems,
        query: &AnalyzedQuery,
    ) -> Result<std::result::Result<QuerySnapshot, Arc<PhysicalPartition>>> {
        // Computed again for each attempt: the map may have changed while it waited.
        let (_, targets) = target_ranges(container, &operation.feed_range, query);
        let slices = partition_slices(&container.map(), &targets);
        let mut session_token = SessionToken::default();
        for slice in &slices {
            session::check(operation.options.session_token.as_ref(), &slice.partition)?;
            let number = slice.partition.identity.number;
            // Read before the snapshot is taken, so the snapshot contains at least this lsn.
            session_token.advance(number, slice.partition.published.lsn());
        }
        let store = self.store().snapshot().await?;
        // A partition that was split or merged before the snapshot was taken may have moved items to others. Retired
        // after the snapshot would be harmless, but cannot be distinguished.
        for slice in &slices {
            if slice.partition.published.is_retired() {
                return Ok(Err(Arc::clone(&slice.partition)));
            }
        }
        Ok(Ok(QuerySnapshot { slices, store, session_token }))
    }

    /// Reads one page of a planned query.
    pub(super) async fn read_page(
        &self,
        reader: &mut PageReader,
        snapshot: &QuerySnapshot,
        planned: &PlannedQuery,
        scope: &TokenScope<'_>,
        mut progress: QueryProgress,
    ) -> Result<QueryPage> {
        let (bound, operation) = (planned.bound(), scope.operation);
        let work = self.request_work(operation.limits.time_max);
        let context = evaluation_context(self, reader, &operation.limits, &work);
        let rows_max = operation.page.items_max.unwrap_or(PAGE_ITEMS_DEFAULT).max(1);
        let bytes_max = operation.limits.response_bytes_max;
        let identity = Arc::clone(&reader.identity);
        let selector =
            AccessPathSelector::new(planned, &snapshot.slices, &identity.definition, &context);
        // A condition that repeats the partition key of the request is not paid for.
        let charged = match &operation.feed_range {
            FeedRange::PartitionKey(_) => selector.lookup(),
            _ => &planned.access.lookup,
        };
        let (page, more) =
            match open_streaming(reader, &selector, planned, &context, &progress).await? {
                Some((mut source, projector)) => {
                    reader.charges.apply_plan(planned, &source, selector.lookup(), charged);
                    let page = PageBuilder::new(bound, &progress, rows_max, bytes_max);
                    let mut run = StreamingPage::new(projector, page, progress, &work);
                    run.is_open_ended = planned.is_open_ended(&operation.feed_range);
                    let (filled, more) = run.fill(reader, &mut source).await?;
                    let filled = *filled;
                    progress = filled.progress;
                    if more {
                        // Only a page that continues needs it. It must be the lookup that really ran, not that of the
                        // token.
                        progress.plan = selector.fingerprint();
                    }
                    (filled.page, more)
                }
                None => {
                    // OFFSET and LIMIT are part of the computed result. Applying them here again would skip twice.
                    let mut page = PageBuilder::without_window(rows_max, bytes_max);
                    let stored = self.read_stored_page(reader, scope, &mut progress, &mut page);
                    let more = match Box::pin(stored).await? {
                        Some(more) => more,
                        None => {
                            let run = self.compute_page(
                                reader,
                                &selector,
                                charged,
                                scope,
                                &mut progress,
                                &mut page,
                            );
                            Box::pin(run).await?
                        }
                    };
                    (page, more)
                }
            };
        reader.metrics.output_items = page.rows.len() as u64;
        reader.metrics.output_bytes = page.bytes() as u64;
        Ok(QueryPage {
            continuation: more.then(|| progress.to_token(scope)),
            rows: page.rows,
            is_reversed: planned.access.order.is_reversed() && !progress.is_computed(),
            metrics: Default::default(),
            index_metrics: operation.wants_index_metrics.then(|| index_metrics(planned, scope)),
        })
    }
}

impl Engine {
    /// Fills a page from the stored rows of an earlier page; `None` if there are none.
    async fn read_stored_page(
        &self,
        reader: &mut PageReader,
        scope: &TokenScope<'_>,
        progress: &mut QueryProgress,
        page: &mut PageBuilder,
    ) -> Result<Option<bool>> {
        let ContinuationPosition::Rows { returned, stored: Some(key) } = &mut progress.position
        else {
            return Ok(None);
        };
        let owner = scope.result_owner();
        let more = read_stored_rows(reader.snapshot(), *key, &owner, *returned, page).await?;
        if more.is_some() {
            let rows = page.rows.len() as u64;
            *returned += rows;
            reader.charges.count_stored_rows(rows);
        }
        Ok(more)
    }

    /// Computes the complete result of a query, fills a page with its next rows and stores those after the page.
    async fn compute_page(
        &self,
        reader: &mut PageReader,
        selector: &AccessPathSelector<'_>,
        charged: &Lookup,
        scope: &TokenScope<'_>,
        progress: &mut QueryProgress,
        page: &mut PageBuilder,
    ) -> Result<bool> {
        let planned = selector.planned();
        let returned = rows_returned(progress)?;
        // The first page may choose; later ones must compute the rows in the same order, or rows would repeat or be
        // lost.
        let begun_plan = (returned > 0).then_some(progress.plan);
        let (mut source, order) = selector.complete(begun_plan)?;
        progress.plan = order;
        reader.charges.apply_plan(planned, &source, selector.lookup(), charged);
        let limits = &scope.operation.limits;
        let work = self.request_work(limits.time_max);
        let context = evaluation_context(self, reader, limits, &work);
        let run = MaterializedRun::new(planned, context, &work);
        let rest = run.compute(reader, &mut source, page, returned).await?;
        let mut stored = None;
        if let Rest::Rows(rows) = &rest {
            let now = self.now().0;
            let key = ResultKey { created_ms: now, random: self.core.environment.random() };
            let results = &self.core.query_results;
            // A result that cannot be stored is computed again: slower, but the page at hand is right.
            let saved = results.save(self.store(), key, &scope.result_owner(), rows).await;
            stored = saved.is_ok_and(|is_saved| is_saved).then_some(key);
        }
        let returned = returned + page.rows.len() as u64;
        progress.position = ContinuationPosition::Rows { returned, stored };
        Ok(!matches!(rest, Rest::Nothing))
    }
}

/// Opens the source of a query whose rows can be computed item by item; `None` if all items are needed first.
async fn open_streaming(
    reader: &mut PageReader,
    selector: &AccessPathSelector<'_>,
    planned: &PlannedQuery,
    context: &EvaluationContext,
    progress: &QueryProgress,
) -> Result<Option<(CandidateSource, RowProjector)>> {
    let bound = planned.bound();
    // An earlier page has computed the whole result; its position means nothing to a stream.
    if matches!(progress.position, ContinuationPosition::Rows { .. }) {
        return Ok(None);
    }
    selector.check_order(progress)?;
    let Some(mut projector) = RowProjector::new(bound, context) else { return Ok(None) };
    let source = if bound.output.distinct {
        selector.distinct(&progress.position)?
    } else if bound.order_by == BoundOrderBy::None {
        Some(selector.unordered(&progress.position, progress.plan)?)
    } else {
        // Tried first: if the filter finds few items, sorting them is cheaper than walking the index that has the
        // order.
        match selector.sorted(reader, &progress.position).await? {
            Some(sorted) => Some(sorted),
            None => selector.ordered(&progress.position)?,
        }
    };
    if source.as_ref().is_some_and(|source| selector.filter_is_covered_by(source)) {
        projector.skip_filter();
    }
    Ok(source.map(|source| (source, projector)))
}

/// Which indexes a request used. A partition key that it names restricts the items as a filter would.
fn index_metrics(planned: &PlannedQuery, scope: &TokenScope<'_>) -> IndexMetrics {
    let mut metrics = planned.index_metrics();
    if matches!(scope.operation.feed_range, FeedRange::PartitionKey(_)) {
        metrics.add_partition_key(scope.container.definition.paths());
    }
    metrics
}

/// How many rows earlier pages have returned.
fn rows_returned(progress: &QueryProgress) -> Result<u64> {
    match &progress.position {
        ContinuationPosition::Start => Ok(0),
        ContinuationPosition::Rows { returned, .. } => Ok(*returned),
        _ => Err(invalid_token("its position is of another kind")),
    }
}
