//! serde for JSON values: to and from any serde format, and to and from Rust types.
//!
//! Owns the exactness of numbers in these conversions. Does not own JSON text: `parse` and `print` convert between text
//! and values faster.

mod build;
mod conversion_error;
mod deserialize;
mod from_value;
mod raw_value;
mod serialize;
mod to_value;

pub use conversion_error::ConversionError;
