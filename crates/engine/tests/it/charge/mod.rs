//! Request charges: published figures, claims of the seed documents, indexing policies and explanations.

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
