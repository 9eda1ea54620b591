//! Expressions over rows of slots.
