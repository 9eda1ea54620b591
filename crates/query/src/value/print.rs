//! Values as JSON text, as in query results.
//!
//! Owns the number format and the escapes of query results. Does not own the text of stored items, which `model` prints
//! as it was sent.

use std::fmt;

use super::Value;
use model::double_text;

/// A number in the result is NaN or infinite, which JSON cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRepresentable;

impl NotRepresentable {
    /// The sub-status that clients see.
    pub const SUB_STATUS: u32 = 4001;
}

impl fmt::Display for NotRepresentable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "The response content contains a numeric value that cannot be represented in JSON \
             (e.g. Infinity and NaN).",
        )
    }
}

impl std::error::Error for NotRepresentable {}

impl Value {
    /// Appends the JSON text; undefined appends nothing.
    ///
    /// # Errors
    /// If a number is NaN or infinite; the text is then invalid.
    pub fn print_to(&self, text: &mut String) -> Result<(), NotRepresentable> {
        let mut refused = false;
        print(self, text, &mut |double, text| {
            // Printing goes on: the caller discards the text.
            refused |= !double.is_finite();
            text.push_str(&double_text(double));
        });
        if refused { Err(NotRepresentable) } else { Ok(()) }
    }

    /// The JSON text; empty for undefined.
    ///
    /// # Errors
    /// If a number is NaN or infinite.
    pub fn to_text(&self) -> Result<String, NotRepresentable> {
        let mut text = String::new();
        self.print_to(&mut text)?;
        Ok(text)
    }
}

/// The JSON text, with words for what JSON lacks: `undefined`, `NaN`, `Infinity`. Used in messages and by TOSTRING.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_defined() {
            return formatter.write_str("undefined");
        }
        let mut text = String::new();
        print(self, &mut text, &mut |double, text| {
            text.push_str(&match double {
                _ if double.is_nan() => "NaN".to_owned(),
                f64::INFINITY => "Infinity".to_owned(),
                f64::NEG_INFINITY => "-Infinity".to_owned(),
                _ => double_text(double),
            });
        });
        formatter.write_str(&text)
    }
}

/// Appends a value; the caller prints doubles.
fn print(value: &Value, text: &mut String, print_double: &mut impl FnMut(f64, &mut String)) {
    match value {
        // Only at the top: arrays and objects contain no undefined values.
        Value::Undefined => {}
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Integer(integer) => text.push_str(&integer.to_string()),
        Value::Double(double) => print_double(*double, text),
        Value::String(string) => print_string(string, text),
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                print(element, text, print_double);
            }
            text.push(']');
        }
        Value::Object(object) => {
            text.push('{');
            for (index, (name, value)) in object.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                print_string(name, text);
                text.push(':');
                print(value, text, print_double);
            }
            text.push('}');
        }
    }
}

/// Appends a quoted string with the escapes that JSON requires.
fn print_string(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\0'..='\u{1f}' => text.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => text.push(character),
        }
    }
    text.push('"');
}
