//! The query language: text and items in, rows out.
//!
//! Turns a query text into rows, one stage per module: `lexer` (text to tokens), `parser` (tokens to `ast`), `bind`
//! (resolves names and functions, checks rules, turns aliases into slots), `evaluate` (expressions over a row) and
//! `operator` (items in, rows out). `budget` counts what a request consumes. `plan` answers questions about a bound
//! query without running it, and `printer` writes a tree in the service's normal form. The crate is pure: no I/O, no
//! clock, no async. Partitions, pages and charges belong to the engine.
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
mod budget;
mod error;
mod evaluate;
pub mod function;
mod lexer;
mod operator;
mod parser;
pub mod plan;
mod printer;
mod reference;
mod resume;
pub mod value;

pub use bind::{
    BoundQuery, BuiltInFunctions, ComputedProperties, FunctionCatalog, Parameters, bind, bind_with,
};
pub use budget::{
    BudgetError, EachWorkLimit, EvaluationBudget, Interruption, SLICE_UNITS, WorkGovernor,
    WorkLimit,
};
pub use error::{QueryError, QueryErrorCode, Severity, TextLocation, to_json};
pub use evaluate::{EvaluationContext, EvaluationError, NoUserFunctions, UserFunctions};
pub use operator::{
    ItemPredicate, PreparedExpression, QueryExecutor, ROW_TEXT_BYTES_MAX, row_text,
};
pub use parser::parse;
pub use printer::{print, print_scalar};
pub use reference::function_reference;
pub use resume::resume_query;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
