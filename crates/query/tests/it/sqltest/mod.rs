//! Text cases.
//!
//! A file `*.sqltest` under `tests/cases` is a list of cases. Lines before the first case are comments. A case is a
//! title and sections, each a header and the lines below it:
//!
//! ```text
//! === a reserved word is not a property name
//! --- query
//! SELECT c.value FROM c
//! --- error
//! SC1001 9..14: Syntax error, incorrect syntax near 'value'.
//! ```
//!
//! | section | content |
//! |---|---|
//! | `query` | the query text |
//! | `query-json` | the query text as a JSON string, for texts that lines cannot show |
//! | `parameters` | JSON: a list of `{"name": ..., "value": ...}` |
//! | `printed` | the query parses, and this is its normal form |
//! | `properties` | the query binds, and these are its output properties, one per line |
//! | `aggregates` | the query binds, and these are its aggregates, one per line |
//! | `error` | the query is rejected with these errors, one per line |
//! | `json` | the query is rejected with this inner JSON |
//! | `computed` | the computed properties of the container, one per line: `name: query` |
//! | `items` | the items of the container, JSON, one per line |
//! | `rows` | the query returns these rows, one per line, in this order |
//! | `unordered` | the query returns these rows, in any order |
//! | `failure` | the query binds, and running it fails with this error |
//! | `values` | instead of a query: expressions with their values, `expression => value`, each line a case |
//!
//! Every query that parses must also print to a text that parses to the same tree. `UPDATE_SQLTEST=1` rewrites the
//! expectations with the actual results; the sections of a case stay the same.

pub(crate) mod check;
mod every;
mod file;
pub(crate) mod rows;
mod values;
