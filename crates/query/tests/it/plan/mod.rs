//! Plans seen from outside: text cases, the tables of the documentation, and properties.

mod access;
mod composite;
mod condition;
mod evaluate;
mod file;
mod metrics;
mod property;
mod rewrite;

use query::{BoundQuery, DocumentedFunctions, Parameters, ast, bind, parse};

/// A query that must parse and bind.
fn bound(text: &str) -> (ast::Query, BoundQuery) {
    let tree = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let query = bind(&tree, &Parameters::new(), &DocumentedFunctions)
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    (tree, query)
}
