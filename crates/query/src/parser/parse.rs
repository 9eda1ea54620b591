//! Parsing a whole text.
//!
//! Owns the entry points: the limit on the length of the text, the query, and that nothing follows it.

use super::query::MeasuredQuery;
use super::state::QueryParser;
use crate::ast::QueryTree;
use crate::error::{QueryError, TextLocation, text};

/// The largest length of a query text, in UTF-16 code units.
pub(super) const TEXT_UNITS_MAX: usize = 524_288;

/// The result of a parsing function. The error is boxed because the parser is recursive: the size of the result is paid
/// in stack at every level of nesting.
pub(super) type Parsed<T> = Result<T, Box<QueryError>>;

/// Parses a query text.
///
/// # Errors
///
/// The first syntax error, in the service's words.
///
/// ```
/// let tree = planisphere_query::parse("select c.id from c where c.age >= 18").unwrap();
/// assert_eq!(planisphere_query::print(&tree), "SELECT c.id\nFROM c\nWHERE (c.age >= 18)");
/// ```
pub fn parse(text: &str) -> Result<QueryTree, Vec<QueryError>> {
    parse_query_text(text).map_err(|error| vec![*error])
}

/// Parses a condition, `FROM … WHERE …`, into the query that returns true for each item it holds for.
pub(crate) fn parse_condition(text: &str) -> Result<QueryTree, Vec<QueryError>> {
    parse_text(text, |parser| parser.item_condition()).map_err(|error| vec![*error])
}

fn parse_query_text(text: &str) -> Parsed<QueryTree> {
    parse_text(text, |parser| parser.query())
}

fn parse_text(
    text: &str,
    read: impl FnOnce(&mut QueryParser<'_>) -> Parsed<MeasuredQuery>,
) -> Parsed<QueryTree> {
    // Checked before tokenizing, so that the work on a hostile text is bounded.
    // In UTF-16 code units, in which the service counts its limit.
    let units = text.chars().map(char::len_utf16).sum();
    if units > TEXT_UNITS_MAX {
        let whole = TextLocation { start: 0, end: units };
        return Err(Box::new(text::text_too_long(whole, TEXT_UNITS_MAX)));
    }
    let mut parser = QueryParser::new(text);
    let query = read(&mut parser)?.query;
    parser.expect_end()?;
    // Counted over the whole text and checked last: a syntax error is reported first.
    parser.check_joins(&query)?;
    Ok(*query)
}
