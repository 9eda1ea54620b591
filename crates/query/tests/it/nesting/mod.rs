//! Long and deep queries through the public functions, on the least stack a thread of the product has.

mod deep;
mod long;
mod shapes;
mod stack;

use stack::on_a_small_stack;
