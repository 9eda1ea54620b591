//! The raw values of `serde_json`.

/// The struct name that makes `serde_json` pass the raw text of a value instead of its parts. Only the text keeps
/// `2.50` from becoming `2.5`. `serde_json::value::RawValue` uses the same name. Other formats do not know it and pass
/// the parts. A test fails if `serde_json` ever changes it.
pub(super) const RAW_VALUE: &str = "$serde_json::private::RawValue";
