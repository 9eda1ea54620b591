//! Text cases.
//!
//! A file `*.sqltest` under `tests/cases` is a list of cases. Lines before the first case are comments. A case is a
//! title and sections, each a header and the lines below it:
//!
//! ```text
//! === a reserved word is no property name
//! --- query
//! SELECT c.value FROM c
//! --- error
//! SC1001 9..14: Syntax error, incorrect syntax near 'value'.
//! ```
//!
//! | section | what it holds |
//! |---|---|
//! | `query` | the query text |
//! | `query-json` | the query text as a JSON string, for texts that lines cannot show |
//! | `parameters` | JSON: a list of `{"name": ..., "value": ...}` |
//! | `printed` | the query parses, and this is its normal form |
//! | `properties` | the query binds, and these are its output properties, one per line |
//! | `aggregates` | the query binds, and these are its aggregates, one per line |
//! | `error` | the query is refused with these errors, one per line |
//! | `json` | the query is refused with this inner JSON |
//! | `computed` | the computed properties of the container, one per line: `name: query` |
//! | `items` | the items of the container, JSON, one per line |
//! | `rows` | the query gives these rows, one per line, in this order |
//! | `unordered` | the query gives these rows, in any order |
//! | `failure` | the query binds, and running it fails with this error |
//! | `values` | instead of a query: expressions with their values, `expression => value`, each line a case |
//!
//! Whatever parses must also print to a text that parses to the same tree. With `UPDATE_SQLTEST=1` in the
//! environment the expectations are rewritten from what happens; which sections a case has stays as written.

pub(crate) mod check;
mod every;
mod file;
pub(crate) mod rows;
mod values;
