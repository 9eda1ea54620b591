//! Long and deep queries through the public API, on the smallest stack that a thread of the server has.

mod deep;
mod long;
mod shapes;
mod stack;

use stack::on_a_small_stack;
