//! The query language: text and items in, rows out.
//!
//! Owns the road from a query text to rows, one stage per module: `lexer` (text to tokens), `parser` (tokens to `ast`),
//! `bind` (names, functions and rules checked, aliases turned into slots), `evaluate` (expressions over a row) and
//! `operator` (items in, rows out); and `printer` (tree to the service's normal form). Pure: no I/O, no clock, no
//! async; partitions, pages and charges are the engine's.
//!
//! ```
//! use planisphere_query::{BuiltInFunctions, Parameters, bind, parse, print};
//!
//! let tree = parse("SELECT VALUE COUNT(1) FROM Root r WHERE r.age > @least")?;
//! assert_eq!(print(&tree), "SELECT VALUE COUNT(1)\nFROM Root AS r\nWHERE (r.age > @least)");
//! let bound = bind(&tree, &Parameters::default(), &BuiltInFunctions)?;
//! assert!(bound.is_aggregate());
//! # Ok::<(), Vec<planisphere_query::QueryError>>(())
//! ```

pub mod ast;
pub mod bind;
mod error;
mod evaluate;
pub mod function;
mod lexer;
mod operator;
mod parser;
pub mod plan;
mod printer;
mod reference;
pub mod value;

pub use bind::{
    BoundQuery, BuiltInFunctions, ComputedProperties, FunctionCatalog, Parameters, bind, bind_with,
};
pub use error::{Location, QueryError, QueryErrorCode, Severity, to_json};
pub use evaluate::{EvaluationContext, EvaluationError, NoUserFunctions, UserFunctions};
pub use operator::{
    Executor, ItemPredicate, PartialGroup, PreparedExpression, RowOrder, RowStream, row_text,
    rows_text,
};
pub use parser::parse;
pub use printer::{print, print_scalar};
pub use reference::function_reference;
