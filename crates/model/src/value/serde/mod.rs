//! serde for JSON values: to and from any serde format, and to and from Rust types.
//!
//! Owns the exactness of numbers in these conversions. Does not own JSON text: `parse` and `print` convert between text
//! and values faster.

mod build;
mod conversion_error;
mod deserialize;
mod from_value;
mod serialize;
mod to_value;

pub use conversion_error::ConversionError;

/// The struct name that makes `serde_json` pass the raw text of a value instead of its parts. Only the text keeps `2.50`
/// from becoming `2.5`. `serde_json::value::RawValue` uses the same name. Other formats do not know it and pass the parts.
/// A test fails if `serde_json` ever changes it.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
