//! The bill: published figures, the claims of the seeds, what policies change, and how charges are explained.

mod budgets;
mod executed;
mod explained;
mod page;
mod point;
mod policies;
mod published;
mod query_figures;
mod seeds;
mod shop;
