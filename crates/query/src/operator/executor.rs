//! Running a query to its end.
//!
//! Owns the gathering of all rows. A query whose rows can be passed on as they come runs cheaper as a `RowStream`.

use model::Json;

use super::PartialGroup;
use super::execution::Execution;
use crate::bind::BoundQuery;
use crate::evaluate::{EvaluationContext, EvaluationError};
use crate::value::Value;

/// Runs any query: items are pushed, the rows come at the end.
///
/// ```
/// use model::Json;
/// use planisphere_query::function::UtcDateTime;
/// use planisphere_query::{BuiltInFunctions, EvaluationContext, Executor, Parameters, bind, parse, row_text};
///
/// let tree = parse("SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city").unwrap();
/// let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
/// let context = EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap());
/// let mut executor = Executor::new(&bound, context);
/// for item in [r#"{"city": "Oslo"}"#, r#"{"city": "Bern"}"#, r#"{"city": "Oslo"}"#] {
///     executor.push(&Json::parse(item.as_bytes()).unwrap()).unwrap();
/// }
/// let rows = executor.finish().unwrap();
/// assert_eq!(row_text(&rows[0]).unwrap(), r#"{"city":"Oslo","n":2}"#);
/// assert_eq!(row_text(&rows[1]).unwrap(), r#"{"city":"Bern","n":1}"#);
/// ```
#[derive(Debug)]
pub struct Executor {
    run: Execution,
    rows: Vec<Value>,
}

impl Executor {
    /// Prepares a query.
    #[must_use]
    pub fn new(query: &BoundQuery, context: EvaluationContext) -> Self {
        Self { run: Execution::new(query, context), rows: Vec::new() }
    }

    /// Takes an item into account.
    ///
    /// # Errors
    /// When an expression fails, or more rows must be held than the context allows. The executor is of no use then.
    pub fn push(&mut self, item: &Json) -> Result<(), EvaluationError> {
        let rows = &mut self.rows;
        self.run.push(item, &mut |row| {
            rows.push(row);
            Ok(())
        })
    }

    /// Takes a stored item into account, from its JSON text: only the properties that the query looks at are parsed,
    /// and of an item that the filter drops, only those of the filter.
    ///
    /// # Errors
    /// When the text is not JSON where it is looked at, else as for [`Executor::push`].
    pub fn push_text(&mut self, item: &[u8]) -> Result<(), EvaluationError> {
        let rows = &mut self.rows;
        self.run.push_text(item, &mut |row| {
            rows.push(row);
            Ok(())
        })
    }

    /// Takes a group of the same query over other items into account. A query without groups has none to take.
    ///
    /// # Errors
    /// When more groups must be held than the context allows.
    pub fn push_group(&mut self, group: PartialGroup) -> Result<(), EvaluationError> {
        self.run.merge(group)
    }

    /// How many array elements were iterated so far, alone or as parts of joined rows.
    #[must_use]
    pub fn tuples(&self) -> u64 {
        self.run.tuples()
    }

    /// Whether no further item can change the answer: TOP or LIMIT is reached, or the query reads no items.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.run.is_complete()
    }

    /// How many bytes of rows are held for ordering, grouping and DISTINCT.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.run.held_bytes()
    }

    /// The rows, all items being pushed.
    ///
    /// # Errors
    /// When an expression fails, or more rows must be held than the context allows.
    pub fn finish(self) -> Result<Vec<Value>, EvaluationError> {
        let Self { run, mut rows } = self;
        run.finish(&mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The groups so far instead of rows, to be pushed into another executor of the same query. None when that would
    /// not emit the rows of all items together: the query has no groups, or a subquery in FROM must see all items.
    #[must_use]
    pub fn into_groups(self) -> Option<Vec<PartialGroup>> {
        self.run.partial_groups()
    }
}
