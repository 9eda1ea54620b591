//! Binding a query, clause by clause.
//!
//! Owns the order in which clauses are bound, what is in scope, and the rules about subqueries. Each kind of clause has
//! its own file.

use super::bound::{AggregateCall, BoundOrderBy, BoundQuery, Grouping};
use super::{ComputedProperties, FunctionCatalog, Parameters};
use crate::ast::{OrderBy, QueryTree, Scalar};
use crate::error::{QueryError, QueryErrorCode, text};

/// Errors of the service's first stage: a name that does not resolve.
const UNKNOWN_NAMES: [QueryErrorCode; 2] =
    [QueryErrorCode::Compiler(2001), QueryErrorCode::Compiler(2005)];

/// An error of the service's second stage. It is not reported while names are unresolved.
const UNGROUPED_PROPERTY: QueryErrorCode = QueryErrorCode::Compiler(2102);

/// An order that no path of the item gives.
const ORDER_PATH: QueryErrorCode = QueryErrorCode::Number(2206);

/// Errors that are reported in the order in which they are found: clauses of subqueries, inputs and scores of ORDER BY
/// RANK.
const AS_FOUND: [QueryErrorCode; 8] = [
    QueryErrorCode::Compiler(2202),
    QueryErrorCode::Compiler(2203),
    QueryErrorCode::Compiler(2204),
    QueryErrorCode::Compiler(2223),
    QueryErrorCode::Compiler(2224),
    QueryErrorCode::Compiler(2225),
    QueryErrorCode::Compiler(2228),
    QueryErrorCode::Compiler(2240),
];

/// The largest number of calls of user-defined functions in one query.
const UDF_CALLS_MAX: usize = 10;

/// Binds a query to a container without computed properties.
///
/// # Errors
///
/// Every rule that the query breaks, in the order of the text.
///
/// ```
/// use planisphere_query::{BuiltInFunctions, Parameters, bind, parse};
///
/// let tree = parse("SELECT c.a, UPPER(c.b) FROM c").unwrap();
/// let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
/// assert_eq!(bound.property_names().collect::<Vec<_>>(), ["a", "$1"]);
/// ```
pub fn bind(
    query: &QueryTree,
    parameters: &Parameters,
    catalog: &dyn FunctionCatalog,
) -> Result<BoundQuery, Vec<QueryError>> {
    bind_with(query, parameters, catalog, &ComputedProperties::default())
}

/// Binds a query to a container that has computed properties.
///
/// # Errors
///
/// Every rule that the query breaks, in the order of the text.
pub fn bind_with(
    query: &QueryTree,
    parameters: &Parameters,
    catalog: &dyn FunctionCatalog,
    computed: &ComputedProperties,
) -> Result<BoundQuery, Vec<QueryError>> {
    // Alone, before anything else: with an unusable parameter every further error could be a consequence of it.
    let errors = parameters.check();
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut binder = Binder::new(parameters, catalog, computed);
    let mut bound = binder.query(query, Nesting::Outermost);
    if binder.udf_calls.len() > UDF_CALLS_MAX {
        binder.errors.push(text::too_many_udf_calls(query.span.0, UDF_CALLS_MAX));
    }
    // Asked only of a query without other errors, as the order by paths below.
    if binder.errors.is_empty() && binder.has_scalar_rows {
        binder.errors.push(text::scalar_subquery_rows());
    }
    if binder.errors.is_empty() {
        bound.user_functions = binder.udf_calls;
        return Ok(bound);
    }
    // An ungrouped property may only be a consequence of a name that does not resolve.
    let mut errors = binder.errors;
    if errors.iter().any(|error| UNKNOWN_NAMES.contains(&error.code)) {
        errors.retain(|error| error.code != UNGROUPED_PROPERTY);
    }
    // Whether a key is a path of the item is asked only of a query without other errors, and answered once.
    let is_order_path = |error: &QueryError| error.code == ORDER_PATH;
    if !errors.iter().all(is_order_path) {
        errors.retain(|error| !is_order_path(error));
    }
    errors.dedup_by(|later, earlier| is_order_path(later) && is_order_path(earlier));
    // Clauses are bound in the order of evaluation, but errors are reported in the order of the text; the recorded
    // exceptions are errors about whole clauses and about scores. The sort is stable: errors without a location stay in
    // the order in which they were found, at the end.
    if !errors.iter().any(|error| AS_FOUND.contains(&error.code)) {
        errors.sort_by_key(|error| error.location.map_or(usize::MAX, |location| location.start));
    }
    Err(errors)
}

/// The position of a query in the text, which decides what it may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nesting {
    /// The query is the whole text.
    Outermost,
    /// The query is the first input of a query that may read the container, so it may read the container instead.
    FirstInput,
    /// The query is joined or inside an expression: it sees only the aliases around it.
    Correlated,
}

/// The clause that contains an expression, which decides whether aggregates and scores are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClauseContext {
    /// A clause that sees single rows; its keyword, for messages.
    Row(&'static str),
    /// The select list of a query with groups.
    Groups,
    /// ORDER BY RANK.
    Rank,
}

/// An input in scope; its index is its slot.
pub(super) struct ScopeEntry {
    pub(super) alias: Option<String>,
    /// Whether only groups are visible, so that a bare reference is an error.
    pub(super) is_grouped: bool,
    /// Whether it is an item of the container, which has computed properties.
    pub(super) is_item: bool,
}

impl ScopeEntry {
    /// An input without an alias.
    pub(super) fn unnamed() -> Self {
        Self { alias: None, is_grouped: false, is_item: false }
    }
}

/// The state of the query being bound, as opposed to the queries around it.
pub(super) struct QueryFrame {
    /// The first slot of the query.
    pub(super) base: usize,
    /// Whether another query contains it.
    pub(super) is_subquery: bool,
    pub(super) clause: ClauseContext,
    pub(super) group_by: Vec<Scalar>,
    pub(super) aggregates: Vec<AggregateCall>,
}

pub(super) struct Binder<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) catalog: &'a dyn FunctionCatalog,
    pub(super) computed: &'a ComputedProperties,
    pub(super) scope: Vec<ScopeEntry>,
    pub(super) frame: QueryFrame,
    /// The names of user-defined functions called so far, one entry per call.
    pub(super) udf_calls: Vec<String>,
    /// Whether a scalar subquery could return several rows.
    pub(super) has_scalar_rows: bool,
    pub(super) errors: Vec<QueryError>,
    /// The size of all parameters copied so far.
    pub(super) parameter_bytes: usize,
}

impl<'a> Binder<'a> {
    pub(super) fn new(
        parameters: &'a Parameters,
        catalog: &'a dyn FunctionCatalog,
        computed: &'a ComputedProperties,
    ) -> Self {
        let (scope, udf_calls, errors) = (Vec::new(), Vec::new(), Vec::new());
        let (frame, parameter_bytes) = (QueryFrame::new(0), 0);
        let has_scalar_rows = false;
        Self {
            parameters,
            catalog,
            computed,
            scope,
            frame,
            udf_calls,
            has_scalar_rows,
            errors,
            parameter_bytes,
        }
    }

    /// Binds a query and restores scope and frame.
    pub(super) fn query(&mut self, query: &QueryTree, nesting: Nesting) -> BoundQuery {
        let is_subquery = nesting != Nesting::Outermost;
        if let (false, Some(OrderBy::Rank(..)), Some(from)) =
            (is_subquery, &query.order_by, &query.from)
        {
            self.check_ranked_inputs(from);
        }
        let base = self.scope.len();
        let frame = QueryFrame { is_subquery, ..QueryFrame::new(base) };
        let outer = std::mem::replace(&mut self.frame, frame);
        // This order is that of evaluation: each clause sees what the earlier ones bring into scope.
        let sources = self.sources(query.from.as_ref(), nesting);
        let filter = query.filter.as_ref().map(|filter| self.bind_in_clause("WHERE", filter));
        let grouping = self.grouping(query);
        let output = self.output(query, &grouping);
        let order_by = match nesting {
            Nesting::Outermost => self.ordering(query, &sources, &grouping),
            // `check_subquery` refuses the clause.
            Nesting::FirstInput | Nesting::Correlated => BoundOrderBy::None,
        };
        let top = query.select.top.as_ref().and_then(|top| self.top(&top.count));
        let (offset, limit) = match &query.offset_limit {
            Some(clause) => (self.offset(&clause.offset), self.limit(&clause.limit)),
            None => (None, None),
        };
        // After its own inputs and expressions: the service reports the innermost query first.
        if is_subquery {
            self.check_subquery(query);
        }
        // The inputs of this query end with it; slots of later queries start at the same number again.
        self.scope.truncate(base);
        let frame = std::mem::replace(&mut self.frame, outer);
        let aggregates = frame.aggregates;
        BoundQuery {
            sources,
            filter,
            grouping,
            aggregates,
            output,
            order_by,
            top,
            offset,
            limit,
            user_functions: Vec::new(),
        }
    }

    /// Binds GROUP BY, or the single group that an aggregate in the select list implies.
    fn grouping(&mut self, query: &QueryTree) -> Grouping {
        if query.group_by.is_empty() {
            return if self.selects_aggregate(&query.select) {
                Grouping::Whole
            } else {
                Grouping::None
            };
        }
        self.frame.group_by.clone_from(&query.group_by);
        Grouping::By(query.group_by.iter().map(|key| self.group_key(key)).collect())
    }

    /// Reports the clauses that a subquery must not have, in the order in which the service does.
    fn check_subquery(&mut self, query: &QueryTree) {
        match &query.order_by {
            Some(OrderBy::Items(_, span)) => {
                self.errors.push(text::order_by_in_subquery(span.0));
            }
            Some(OrderBy::Rank(_, span)) => self.errors.push(text::rank_in_subquery(span.0)),
            None => {}
        }
        if let Some(top) = &query.select.top {
            self.errors.push(text::top_in_subquery(top.span.0));
        }
        if let Some(clause) = &query.offset_limit {
            self.errors.push(text::offset_limit_in_subquery(clause.span.0));
        }
    }
}

impl QueryFrame {
    fn new(base: usize) -> Self {
        let (group_by, aggregates) = (Vec::new(), Vec::new());
        let clause = ClauseContext::Row("FROM");
        Self { base, is_subquery: false, clause, group_by, aggregates }
    }
}
