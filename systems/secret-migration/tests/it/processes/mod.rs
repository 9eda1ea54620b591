//! The tests with workers that are processes of their own.

mod ground;
mod killed;
mod memory;
