//! The running sum behind SUM and AVG.
//!
//! Owns the poisoning: one value that is not a number makes the sum undefined for good (`undefined + n` is undefined).
//! Does not own the count.

use crate::value::Value;
use crate::value::arithmetic::add;

/// A sum so far; undefined once poisoned.
#[derive(Clone, Debug)]
pub(super) struct Total(Value);

impl Total {
    pub(super) fn new() -> Self {
        // An integer: sums stay exact until a double or an overflow occurs.
        Self(Value::Integer(0))
    }

    /// Adds a defined value.
    pub(super) fn add(&mut self, value: &Value) {
        self.0 = add(&self.0, value);
    }

    pub(super) fn value(&self) -> Value {
        self.0.clone()
    }
}
