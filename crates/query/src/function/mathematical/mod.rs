//! Functions on numbers.
//!
//! Owns trigonometry, powers, rounding and 64-bit integers. Does not own operators: those are in `value`.

pub(super) mod bits;
pub(super) mod constant;
pub(super) mod exponential;
pub(super) mod integer;
pub(super) mod number_bin;
pub(super) mod rounding;
pub(super) mod sign;
pub(super) mod trigonometry;
