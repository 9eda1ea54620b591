//! Tokens to tree.
//!
//! Owns the native grammar, one file per clause, and its limits. Like the service's parser it stops at the first
//! mistake. Does not own names and rules beyond grammar: see `bind`.

mod count;
mod from;
mod order_by;
mod query;
mod scalar;
mod select;
mod state;

#[cfg(test)]
mod tests;

use state::Parser;

use crate::ast::Query;
use crate::error::{Location, QueryError, text};
use crate::lexer;

/// Characters of a query text, counted as UTF-16 units.
const TEXT_UNITS_MAX: usize = 524_288;

/// What a parsing step gives. The error is boxed because the parser calls itself: what a step returns is paid at every
/// level of nesting.
type Parsed<T> = Result<T, Box<QueryError>>;

/// Reads a query text.
///
/// # Errors
///
/// The first mistake found, as the service words it.
///
/// ```
/// let tree = query::parse("select c.id from c where c.age >= 18").unwrap();
/// assert_eq!(query::print(&tree), "SELECT c.id\nFROM c\nWHERE (c.age >= 18)");
/// ```
pub fn parse(text: &str) -> Result<Query, Vec<QueryError>> {
    parse_whole(text).map_err(|error| vec![*error])
}

fn parse_whole(text: &str) -> Parsed<Query> {
    let units = text.chars().map(char::len_utf16).sum();
    if units > TEXT_UNITS_MAX {
        let whole = Location { start: 0, end: units };
        return Err(Box::new(text::text_too_long(whole, TEXT_UNITS_MAX)));
    }
    let mut parser = Parser::new(lexer::tokenize(text));
    let query = parser.query()?.query;
    parser.expect_end()?;
    parser.check_joins(&query)?;
    Ok(*query)
}
