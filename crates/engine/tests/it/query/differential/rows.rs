//! Rows against rows: as multisets, by their values and not by their spelling.

use std::collections::HashMap;

use model::{Json, Number};
use query::bind::BoundQuery;

/// What is left open by a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Nothing but the spelling of equal values.
    Exact,
    /// The last digits of numbers: a sum of doubles depends on the sequence.
    Rounded,
}

impl Comparison {
    pub(crate) fn of(query: &BoundQuery) -> Self {
        let adds =
            query.aggregates.iter().any(|aggregate| matches!(aggregate.function, "SUM" | "AVG"));
        if adds { Self::Rounded } else { Self::Exact }
    }

    /// Checks that rows are all of a class, or some of it if they are fewer.
    pub(crate) fn check_part(self, class: &[String], part: &[String]) -> Result<(), String> {
        if class == part {
            return Ok(());
        }
        let mut left: HashMap<&str, i64> = HashMap::new();
        for row in class {
            *left.entry(row).or_default() += 1;
        }
        let spelled_alike = part.iter().all(|row| {
            let count = left.entry(row).or_default();
            *count -= 1;
            *count >= 0
        });
        if spelled_alike {
            return Ok(());
        }
        let mut left: HashMap<String, i64> = HashMap::new();
        for row in class {
            *left.entry(self.canonical(row)).or_default() += 1;
        }
        for row in part {
            let count = left.entry(self.canonical(row)).or_default();
            *count -= 1;
            if *count < 0 {
                return Err(format!(
                    "the row {row} is not among the rest of\n  {}",
                    class.join("\n  ")
                ));
            }
        }
        Ok(())
    }

    fn canonical(self, row: &str) -> String {
        let json = Json::parse(row.as_bytes()).expect("a row is JSON");
        let mut text = String::new();
        self.write(&json, &mut text);
        text
    }

    fn write(self, json: &Json, text: &mut String) {
        match json {
            Json::Number(number) if self == Self::Rounded => {
                text.push_str(&format!("{:.8e}", number.as_f64()));
            }
            Json::Number(number) => text.push_str(&number_text(number)),
            Json::Array(elements) => {
                text.push('[');
                for element in elements {
                    self.write(element, text);
                    text.push(',');
                }
                text.push(']');
            }
            Json::Object(object) => {
                let mut properties: Vec<_> = object.iter().collect();
                properties.sort_by_key(|(name, _)| *name);
                text.push('{');
                for (name, value) in properties {
                    text.push_str(&Json::from(name).to_string());
                    text.push(':');
                    self.write(value, text);
                    text.push(',');
                }
                text.push('}');
            }
            scalar => text.push_str(&scalar.to_string()),
        }
    }
}

/// The same text for `1`, `1.0` and `1e0`.
fn number_text(number: &Number) -> String {
    let plain = match number.as_i64() {
        Some(whole) => return whole.to_string(),
        None => Number::from_f64(number.as_f64()),
    };
    plain.map_or_else(|| number.text().into_owned(), |plain| plain.text().into_owned())
}

#[test]
fn rows_are_compared_by_value() {
    let class = [r#"{"a":1,"b":2}"#, "1", "1.0"].map(str::to_owned);
    let check = |part: &[&str]| {
        let part: Vec<String> = part.iter().map(|row| (*row).to_owned()).collect();
        Comparison::Exact.check_part(&class, &part)
    };
    assert_eq!(check(&[r#"{"b":2.0,"a":1}"#, "1", "1"]), Ok(()));
    assert_eq!(check(&["1"]), Ok(()));
    assert!(check(&["1", "1", "1"]).is_err());
    assert!(check(&["2"]).is_err());
}
