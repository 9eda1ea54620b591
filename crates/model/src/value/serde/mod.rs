//! serde for JSON values: to and from any serde format, and to and from the types of a program.
//!
//! Owns the exactness of numbers on these ways. Does not own the text: see `parse` and `print`, which are faster where
//! only text and values are involved.

mod build;
mod conversion_error;
mod deserialize;
mod from_value;
mod serialize;
mod to_value;

pub use conversion_error::ConversionError;

/// The name under which `serde_json` exchanges the text of a value instead of its parts. Only the text keeps `2.50`
/// from becoming `2.5`. It is what `serde_json::value::RawValue` uses; other formats do not know it and are served part by
/// part. A test fails if `serde_json` ever changes it.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
