//! A whole text to a tree.
//!
//! Owns the entrance: the limit on the text, the query, and nothing after it.

use super::query::MeasuredQuery;
use super::state::QueryParser;
use crate::ast::Query;
use crate::error::{Location, QueryError, text};

/// Characters of a query text, counted as UTF-16 units.
pub(super) const TEXT_UNITS_MAX: usize = 524_288;

/// What a parsing step gives. The error is boxed because the parser calls itself: what a step returns is paid at every
/// level of nesting.
pub(super) type Parsed<T> = Result<T, Box<QueryError>>;

/// Reads a query text.
///
/// # Errors
///
/// The first mistake found, as the service words it.
///
/// ```
/// let tree = planisphere_query::parse("select c.id from c where c.age >= 18").unwrap();
/// assert_eq!(planisphere_query::print(&tree), "SELECT c.id\nFROM c\nWHERE (c.age >= 18)");
/// ```
pub fn parse(text: &str) -> Result<Query, Vec<QueryError>> {
    parse_query_text(text).map_err(|error| vec![*error])
}

/// Reads a condition, `FROM … WHERE …`: the query that gives true for each item it holds for.
pub(crate) fn parse_condition(text: &str) -> Result<Query, Vec<QueryError>> {
    parse_text(text, |parser| parser.item_condition()).map_err(|error| vec![*error])
}

fn parse_query_text(text: &str) -> Parsed<Query> {
    parse_text(text, |parser| parser.query())
}

fn parse_text(
    text: &str,
    read: impl FnOnce(&mut QueryParser<'_>) -> Parsed<MeasuredQuery>,
) -> Parsed<Query> {
    let units = text.chars().map(char::len_utf16).sum();
    if units > TEXT_UNITS_MAX {
        let whole = Location { start: 0, end: units };
        return Err(Box::new(text::text_too_long(whole, TEXT_UNITS_MAX)));
    }
    let mut parser = QueryParser::new(text);
    let query = read(&mut parser)?.query;
    parser.expect_end()?;
    parser.check_joins(&query)?;
    Ok(*query)
}
