//! Functions on numbers.
//!
//! Owns trigonometry, powers, rounding and 64-bit integers. Does not own operators: those are in `value`.

mod bits;
mod constant;
mod exponential;
mod integer;
mod number_bin;
mod rounding;
mod sign;
mod trigonometry;

pub(super) use {
    bits::FUNCTIONS as BITS, constant::FUNCTIONS as CONSTANT,
    exponential::FUNCTIONS as EXPONENTIAL, integer::FUNCTIONS as INTEGER,
    number_bin::FUNCTIONS as NUMBER_BIN, rounding::FUNCTIONS as ROUNDING, sign::FUNCTIONS as SIGN,
    trigonometry::FUNCTIONS as TRIGONOMETRY,
};
