//! Prices of throughput and storage.
//!
//! The defaults are list prices commonly quoted for one region in the United States, unverified, and the factor of the
//! service's autoscale documentation. A file can replace them.

use model::{Json, Object};

use super::super::document::decimal;
use crate::error::{Error, Result};

/// Prices per unit, in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceTable {
    /// The currency, printed after amounts.
    pub currency: String,
    /// Manual throughput: 100 request units per second for one hour.
    pub manual_per_100_per_hour: f64,
    /// Autoscale throughput costs this multiple of manual throughput.
    pub autoscale_factor: f64,
    /// One gigabyte stored for a month.
    pub gigabyte_per_month: f64,
    /// Hours per month.
    pub hours_per_month: f64,
}

impl Default for PriceTable {
    fn default() -> Self {
        Self {
            currency: "USD".to_owned(),
            manual_per_100_per_hour: 0.008,
            autoscale_factor: 1.5,
            gigabyte_per_month: 0.25,
            hours_per_month: 730.0,
        }
    }
}

impl PriceTable {
    /// Parses a table. Absent members keep their defaults.
    ///
    /// # Errors
    /// `Invalid` if the text is not a JSON object, has an unknown member, or a price is not a number of at least zero.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let json = Json::parse(text)
            .map_err(|error| Error::invalid(format!("The price table is not JSON: {error}.")))?;
        let object = json.as_object().ok_or_else(|| {
            Error::invalid("The price table is not a JSON object such as {\"currency\":\"USD\"}.")
        })?;
        let mut table = Self::default();
        for (name, value) in object.iter() {
            let price = match name {
                "currency" => {
                    let currency =
                        value.as_str().ok_or_else(|| invalid_member(name, value, "a string"))?;
                    table.currency = currency.to_owned();
                    continue;
                }
                "manualPer100PerHour" => &mut table.manual_per_100_per_hour,
                "autoscaleFactor" => &mut table.autoscale_factor,
                "gigabytePerMonth" => &mut table.gigabyte_per_month,
                "hoursPerMonth" => &mut table.hours_per_month,
                _ => {
                    return Err(Error::invalid(format!(
                        "The price table has an unknown member '{name}'. The members are currency, \
                         manualPer100PerHour, autoscaleFactor, gigabytePerMonth and hoursPerMonth."
                    )));
                }
            };
            *price = match value {
                Json::Number(number) if number.as_f64() >= 0.0 => number.as_f64(),
                _ => return Err(invalid_member(name, value, "a number of at least zero")),
            };
        }
        Ok(table)
    }

    pub(super) fn manual_per_month(&self, per_second: f64) -> f64 {
        per_second / 100.0 * self.manual_per_100_per_hour * self.hours_per_month
    }

    pub(super) fn autoscale_per_month(&self, per_second: f64) -> f64 {
        self.manual_per_month(per_second) * self.autoscale_factor
    }

    pub(super) fn storage_per_month(&self, bytes: f64) -> f64 {
        bytes / 1_073_741_824.0 * self.gigabyte_per_month
    }

    pub(super) fn to_json(&self) -> Json {
        let exact = |number: f64| model::Number::from_f64(number).map_or(Json::Null, Json::Number);
        let mut object = Object::new();
        object.insert("currency", self.currency.as_str());
        object.insert("manualPer100PerHour", exact(self.manual_per_100_per_hour));
        object.insert("autoscaleFactor", exact(self.autoscale_factor));
        object.insert("gigabytePerMonth", exact(self.gigabyte_per_month));
        object.insert("hoursPerMonth", decimal(self.hours_per_month));
        Json::Object(object)
    }
}

fn invalid_member(name: &str, value: &Json, expected: &str) -> Error {
    Error::invalid(format!("The price table's '{name}' is {value}, but must be {expected}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_overrides_the_prices_it_names() {
        let table = PriceTable::parse(br#"{"currency":"EUR","manualPer100PerHour":0.01}"#).unwrap();
        assert_eq!(table.currency, "EUR");
        assert!((table.manual_per_month(400.0) - 29.2).abs() < 1e-9);
        assert!((table.autoscale_per_month(400.0) - 43.8).abs() < 1e-9);
        assert!((PriceTable::default().manual_per_month(400.0) - 23.36).abs() < 1e-9);
    }

    #[test]
    fn an_invalid_file_is_rejected_with_the_name_of_the_member() {
        for (text, word) in [
            (&b"["[..], "not JSON"),
            (b"[]", "not a JSON object"),
            (br#"{"manual":1}"#, "'manual'"),
            (br#"{"autoscaleFactor":"1"}"#, "'autoscaleFactor' is \"1\""),
            (br#"{"gigabytePerMonth":-1}"#, "'gigabytePerMonth' is -1"),
            (br#"{"currency":1}"#, "'currency' is 1"),
        ] {
            let error = PriceTable::parse(text).unwrap_err();
            assert!(error.message().contains(word), "{}", error.message());
        }
    }
}
