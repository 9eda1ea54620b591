//! Queries through the engine: answers, pages, and what was touched to make them.

mod answers;
pub(crate) mod ask;
mod cases;
mod composite;
mod differential;
mod naive;
mod pages;
mod resumed;
mod reversed;
mod touched;
