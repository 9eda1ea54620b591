//! Throughput: request units per second given to a container or a database.
//!
//! Owns the two kinds, their limits and their wire content. Does not own throttling, or the rest of the wire resource
//! around the content.

use super::members::Members;
use crate::limits::{
    AUTOSCALE_THROUGHPUT_MIN, MANUAL_THROUGHPUT_MIN, THROUGHPUT_MAX,
    THROUGHPUT_PER_PARTITION_AT_CREATION, THROUGHPUT_PER_PARTITION_MAX,
};
use crate::{Json, Object, Result, ValidationError};

/// Manual throughput comes in multiples of this.
const MANUAL_STEP: i64 = 100;
/// An autoscale maximum comes in multiples of this.
const AUTOSCALE_STEP: i64 = 1000;
/// Autoscale idles at the maximum divided by this.
const AUTOSCALE_IDLE_DIVISOR: u32 = 10;

/// Request units per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throughput {
    /// A fixed number of request units per second.
    Manual(u32),
    /// Scales with the load, between a tenth of the maximum and the maximum.
    Autoscale {
        /// Highest request units per second.
        maximum: u32,
        /// By how many percent the maximum may grow automatically, if the client set it.
        increment_percent: Option<u32>,
    },
}

impl Throughput {
    /// A fixed number: 400 to 1000000 in steps of 100.
    pub fn manual(per_second: i64) -> Result<Self> {
        let checked = check_range(per_second, MANUAL_THROUGHPUT_MIN, MANUAL_STEP);
        checked.map(Self::Manual).ok_or_else(|| {
            ValidationError::new(format!(
                "The offer should have valid throughput values between {MANUAL_THROUGHPUT_MIN} and \
                 {THROUGHPUT_MAX} inclusive in increments of {MANUAL_STEP}. Requested throughput \
                 was {per_second}."
            ))
        })
    }

    /// Autoscale up to a maximum: 1000 to 1000000 in steps of 1000.
    pub fn autoscale(maximum: i64) -> Result<Self> {
        if maximum < i64::from(AUTOSCALE_THROUGHPUT_MIN) {
            return Err(ValidationError::new(format!(
                "Requested throughput {maximum} is less than required minimum throughput \
                 {AUTOSCALE_THROUGHPUT_MIN}"
            )));
        }
        let maximum =
            check_range(maximum, AUTOSCALE_THROUGHPUT_MIN, AUTOSCALE_STEP).ok_or_else(|| {
                ValidationError::new(format!(
                    "The offer should have valid autoscale max throughput values between \
                 {AUTOSCALE_THROUGHPUT_MIN} and {THROUGHPUT_MAX} inclusive in increments of \
                 {AUTOSCALE_STEP}. Requested max throughput was {maximum}."
                ))
            })?;
        Ok(Self::Autoscale { maximum, increment_percent: None })
    }

    /// Parses autoscale settings, from a header or from the content: `{"maxThroughput":4000}`.
    pub fn from_autoscale_settings(settings: &Json) -> Result<Self> {
        let members = Members::new("autoscale settings", settings)?;
        let maximum = members.integer("maxThroughput")?.ok_or_else(|| {
            ValidationError::new(
                "The autoscale settings have no 'maxThroughput'; give it an integer.",
            )
        })?;
        // Through plain `get`: a missing or malformed outer object means that the client did not set it.
        let percent = settings
            .get("autoUpgradePolicy")
            .and_then(|policy| policy.get("throughputPolicy"))
            .and_then(|policy| policy.get("incrementPercent"));
        match (Self::autoscale(maximum)?, percent) {
            (Self::Autoscale { maximum, .. }, Some(percent)) => {
                let increment_percent =
                    percent.as_i64().and_then(|value| u32::try_from(value).ok());
                if increment_percent.is_none() {
                    return Err(members.refuse("incrementPercent", percent, "0 or more"));
                }
                Ok(Self::Autoscale { maximum, increment_percent })
            }
            (throughput, _) => Ok(throughput),
        }
    }

    /// Parses the `content` of the wire resource. Autoscale settings take precedence over a manual number.
    pub fn from_json(content: &Json) -> Result<Self> {
        let members = Members::new("throughput content", content)?;
        if let Some(settings) = members.get("offerAutopilotSettings") {
            return Self::from_autoscale_settings(settings);
        }
        let per_second = members.integer("offerThroughput")?.ok_or_else(|| {
            ValidationError::new(
                "The throughput content has neither 'offerThroughput' nor \
                 'offerAutopilotSettings'; give one of them.",
            )
        })?;
        Self::manual(per_second)
    }

    /// The `content` of the wire resource.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut content = Object::new();
        content.insert("offerThroughput", i64::from(self.per_second_at_creation()));
        content.insert("offerIsRUPerMinuteThroughputEnabled", false);
        let mut parameters = Object::new();
        parameters.insert("maxThroughputEverProvisioned", i64::from(self.highest()));
        parameters.insert("maxConsumedStorageEverInKB", 0);
        content.insert("offerMinimumThroughputParameters", parameters);
        if let Self::Autoscale { maximum, increment_percent } = self {
            content.insert("offerAutopilotSettings", autoscale_json(*maximum, *increment_percent));
        }
        Json::Object(content)
    }

    /// The lowest throughput of a container, which it gets when the client sets none.
    #[must_use]
    pub const fn minimum() -> Self {
        Self::Manual(MANUAL_THROUGHPUT_MIN)
    }

    /// Highest request units per second: the manual number, or the autoscale maximum.
    #[must_use]
    pub fn highest(&self) -> u32 {
        match self {
            Self::Manual(per_second) => *per_second,
            Self::Autoscale { maximum, .. } => *maximum,
        }
    }

    /// Request units per second without load: the manual number, or a tenth of the autoscale maximum.
    #[must_use]
    pub fn per_second_at_creation(&self) -> u32 {
        match self {
            Self::Manual(per_second) => *per_second,
            Self::Autoscale { maximum, .. } => maximum / AUTOSCALE_IDLE_DIVISOR,
        }
    }

    /// Number of physical partitions of a new container with this throughput.
    #[must_use]
    pub fn partitions_at_creation(&self) -> u32 {
        self.highest().div_ceil(THROUGHPUT_PER_PARTITION_AT_CREATION).max(1)
    }

    /// The least number of physical partitions that can give this throughput.
    #[must_use]
    pub fn partitions_min(&self) -> u32 {
        self.highest().div_ceil(THROUGHPUT_PER_PARTITION_MAX).max(1)
    }
}

/// The number, if it is between the minimum and [`THROUGHPUT_MAX`] and a multiple of `step`.
fn check_range(per_second: i64, minimum: u32, step: i64) -> Option<u32> {
    // Refuses negative numbers as well.
    let number = u32::try_from(per_second).ok()?;
    (number >= minimum && number <= THROUGHPUT_MAX && per_second % step == 0).then_some(number)
}

fn autoscale_json(maximum: u32, increment_percent: Option<u32>) -> Object {
    let mut settings = Object::new();
    settings.insert("maxThroughput", i64::from(maximum));
    if let Some(percent) = increment_percent {
        let mut throughput_policy = Object::new();
        throughput_policy.insert("incrementPercent", i64::from(percent));
        let mut upgrade_policy = Object::new();
        upgrade_policy.insert("throughputPolicy", throughput_policy);
        settings.insert("autoUpgradePolicy", upgrade_policy);
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_throughput_keeps_its_limits_and_steps() {
        for good in [400, 500, 1_000_000] {
            assert!(Throughput::manual(good).is_ok(), "{good}");
        }
        for bad in [-200, 0, 300, 399, 450, 1_000_100, i64::MAX] {
            let error = Throughput::manual(bad).unwrap_err();
            assert!(error.message().starts_with(
                "The offer should have valid throughput values between 400 and 1000000 inclusive \
                 in increments of 100."
            ));
        }
    }

    #[test]
    fn an_autoscale_maximum_keeps_its_limits_and_steps() {
        assert_eq!(Throughput::minimum(), Throughput::manual(400).unwrap());
        assert_eq!(Throughput::autoscale(4000).unwrap().per_second_at_creation(), 400);
        assert_eq!(Throughput::autoscale(4000).unwrap().highest(), 4000);
        assert!(Throughput::autoscale(1000).is_ok());
        assert!(Throughput::autoscale(1500).is_err());
        assert!(Throughput::autoscale(1_001_000).is_err());
        assert_eq!(
            Throughput::autoscale(-200).unwrap_err().message(),
            "Requested throughput -200 is less than required minimum throughput 1000"
        );
    }

    #[test]
    fn six_thousand_request_units_fill_one_physical_partition() {
        for (per_second, partitions) in [(400, 1), (6000, 1), (6100, 2), (12000, 2), (30000, 5)] {
            let throughput = Throughput::manual(per_second).unwrap();
            assert_eq!(throughput.partitions_at_creation(), partitions, "{per_second}");
        }
        assert_eq!(Throughput::autoscale(12000).unwrap().partitions_at_creation(), 2);
    }

    #[test]
    fn a_physical_partition_gives_ten_thousand_request_units() {
        for (per_second, partitions) in [(400, 1), (10_000, 1), (11_000, 2), (25_000, 3)] {
            let throughput = Throughput::manual(per_second).unwrap();
            assert_eq!(throughput.partitions_min(), partitions, "{per_second}");
        }
        assert_eq!(Throughput::autoscale(21_000).unwrap().partitions_min(), 3);
    }

    #[test]
    fn content_round_trips() {
        let grown = Throughput::Autoscale { maximum: 4000, increment_percent: Some(10) };
        for throughput in [Throughput::Manual(400), Throughput::autoscale(4000).unwrap(), grown] {
            assert_eq!(Throughput::from_json(&throughput.to_json()), Ok(throughput));
        }
        assert_eq!(
            Throughput::Manual(400).to_json().to_string(),
            concat!(
                r#"{"offerThroughput":400,"offerIsRUPerMinuteThroughputEnabled":false,"#,
                r#""offerMinimumThroughputParameters":{"maxThroughputEverProvisioned":400,"#,
                r#""maxConsumedStorageEverInKB":0}}"#,
            )
        );
        assert_eq!(grown.to_json().get("offerThroughput"), Some(&Json::from(400)));
        assert!(Throughput::from_json(&Json::parse(b"{}").unwrap()).is_err());
    }
}
