//! The query language: text and items in, rows out.
//!
//! Owns the road from a query text to a bound query, one stage per module: `lexer` (text to tokens), `parser` (tokens
//! to `ast`), `bind` (names, functions and rules checked, aliases turned into slots), and `printer` (tree to the
//! service's normal form). Pure: no I/O, no clock, no async; partitions, pages and charges are the engine's.
//!
//! ```
//! use query::{DocumentedFunctions, Parameters, bind, parse, print};
//!
//! let tree = parse("SELECT VALUE COUNT(1) FROM Root r WHERE r.age > @least")?;
//! assert_eq!(print(&tree), "SELECT VALUE COUNT(1)\nFROM Root AS r\nWHERE (r.age > @least)");
//! let bound = bind(&tree, &Parameters::default(), &DocumentedFunctions)?;
//! assert!(bound.is_aggregate());
//! # Ok::<(), Vec<query::QueryError>>(())
//! ```

pub mod ast;
pub mod bind;
mod error;
pub mod function;
mod lexer;
mod parser;
pub mod plan;
mod printer;
pub mod value;

pub use bind::{BoundQuery, DocumentedFunctions, FunctionCatalog, Parameters, bind};
pub use error::{Code, Location, QueryError, Severity, to_json};
pub use parser::parse;
pub use printer::{print, print_scalar};
