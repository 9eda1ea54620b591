//! Running a query to completion.
//!
//! Owns the collection of all rows. A query whose rows can be passed on immediately runs cheaper as a `RowStream`.

use model::Json;

use super::execution::Execution;
use crate::bind::BoundQuery;
use crate::evaluate::{EvaluationContext, EvaluationError};
use crate::value::Value;

/// Runs any query: push all items, then finish to get the rows.
///
/// ```
/// use model::Json;
/// use planisphere_query::function::UtcDateTime;
/// use planisphere_query::{BuiltInFunctions, EvaluationContext, QueryExecutor, Parameters, bind, parse, row_text};
///
/// let tree = parse("SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city").unwrap();
/// let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
/// let context = EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap());
/// let mut executor = QueryExecutor::new(&bound, context);
/// for item in [r#"{"city": "Oslo"}"#, r#"{"city": "Bern"}"#, r#"{"city": "Oslo"}"#] {
///     executor.push(&Json::parse(item.as_bytes()).unwrap()).unwrap();
/// }
/// let rows = executor.finish().unwrap();
/// assert_eq!(row_text(&rows[0]).unwrap(), r#"{"city":"Oslo","n":2}"#);
/// assert_eq!(row_text(&rows[1]).unwrap(), r#"{"city":"Bern","n":1}"#);
/// ```
#[derive(Debug)]
pub struct QueryExecutor {
    run: Execution,
    rows: Vec<Value>,
}

impl QueryExecutor {
    /// Prepares a query.
    #[must_use]
    pub fn new(query: &BoundQuery, context: EvaluationContext) -> Self {
        Self { run: Execution::new(query, context), rows: Vec::new() }
    }

    /// Adds an item.
    ///
    /// # Errors
    /// If an expression fails, or more rows must be kept than the context allows. The executor must not be used
    /// afterwards.
    pub fn push(&mut self, item: &Json) -> Result<(), EvaluationError> {
        let rows = &mut self.rows;
        self.run.push(item, &mut |row| {
            rows.push(row);
            Ok(())
        })
    }

    /// Adds a stored item from its JSON text. Only the properties that the query reads are parsed, and of an item that
    /// the filter rejects, only those of the filter.
    ///
    /// # Errors
    /// If the parsed part of the text is not JSON, otherwise as for [`QueryExecutor::push`].
    pub fn push_text(&mut self, item: &[u8]) -> Result<(), EvaluationError> {
        let rows = &mut self.rows;
        self.run.push_text(item, &mut |row| {
            rows.push(row);
            Ok(())
        })
    }

    /// The number of array elements iterated so far, alone or as parts of joined rows.
    #[must_use]
    pub fn tuples(&self) -> u64 {
        self.run.tuples()
    }

    /// Whether an item that was interrupted at the end of a slice can be pushed again: only the rows that are missing
    /// are then evaluated. Otherwise the query must run where slices never end.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        self.run.is_resumable()
    }

    /// Whether little of the slice of work is left, so that the next item might not fit.
    #[must_use]
    pub fn is_slice_low(&self) -> bool {
        self.run.is_slice_low()
    }

    /// Gives up the rest of the slice: the next item asks the governor for a new one.
    pub fn end_slice(&self) {
        self.run.end_slice();
    }

    /// The units of work that `finish` will spend; `None` if they have no bound.
    #[must_use]
    pub fn finish_units(&self) -> Option<u64> {
        self.run.finish_units()
    }

    /// Whether no further item can change the result: TOP or LIMIT is reached, or the query reads no items.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.run.is_complete()
    }

    /// The number of bytes of rows kept for ordering, grouping and DISTINCT.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.run.held_bytes()
    }

    /// Returns the rows, after all items were pushed.
    ///
    /// # Errors
    /// If an expression fails, or more rows must be kept than the context allows.
    pub fn finish(self) -> Result<Vec<Value>, EvaluationError> {
        let Self { run, mut rows } = self;
        run.finish(&mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }
}
