//! Random queries against a naive evaluator: the planner with its index must give the same rows in the same order.
//!
//! A world is one container with random items, partition keys and indexing policy, changed between queries: written to,
//! split, merged, reindexed, moved through time. Everything follows from one seed. A failure says how to see it again:
//! `DIFFERENTIAL_SEED=17 DIFFERENTIAL_QUERIES=40 cargo test -p engine query::differential` runs the first 40 queries of
//! world 17; more queries than one world has go on with the worlds after it. Worlds from `WIDE_FROM` on have computed
//! properties, places, vectors and texts, and are written to between the pages of a query.

mod container;
mod grammar;
mod item;
mod value;

mod oracle;
mod rows;

mod asked;
mod between;
mod change;
mod run;
mod shrink;
mod world;

pub(crate) use oracle::unwindowed_rows;
pub(crate) use rows::Comparison;
