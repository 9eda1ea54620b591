//! Queries through the engine: answers, pages, and what was touched to make them.

mod answers;
mod ask;
mod cases;
mod composite;
mod differential;
mod naive;
mod pages;
mod resumed;
mod touched;
