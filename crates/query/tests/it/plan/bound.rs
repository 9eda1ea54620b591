//! Queries that must parse and bind.

use query::{BoundQuery, BuiltInFunctions, Parameters, ast, bind, parse};

/// A query that must parse and bind.
pub(super) fn bound(text: &str) -> (ast::QueryTree, BoundQuery) {
    let tree = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let query = bind(&tree, &Parameters::new(), &BuiltInFunctions)
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    (tree, query)
}
