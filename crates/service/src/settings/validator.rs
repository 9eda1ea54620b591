//! Validation of settings beyond what their types express.
//!
//! Owns how a rule is stated: a system names the setting, whether the rule holds, and what is allowed. Loading adds the
//! value and its source.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The settings of a program, or one section of them.
pub trait SettingsSection: Default + Serialize + DeserializeOwned {
    /// Validates the values, by full name (`Section:Name`).
    fn validate(&self, validator: &mut SettingsValidator) {
        let _ = validator;
    }
}

/// Collects the rules that do not hold.
#[derive(Debug, Default)]
pub struct SettingsValidator {
    prefix: String,
    violations: Vec<(String, String)>,
}

impl SettingsValidator {
    /// Requires that the value is in the range.
    pub fn require_range<N: PartialOrd + Display + Copy>(
        &mut self,
        name: &str,
        value: N,
        allowed: RangeInclusive<N>,
    ) {
        let text = format!("allowed is {} to {}", allowed.start(), allowed.end());
        self.require(name, allowed.contains(&value), &text);
    }

    /// Requires that a rule holds; `allowed` says which values are valid.
    pub fn require(&mut self, name: &str, holds: bool, allowed: &str) {
        if !holds {
            self.violations.push((format!("{}{name}", self.prefix), allowed.to_owned()));
        }
    }

    /// Validates a section, whose names are below `section`.
    pub fn section(&mut self, section: &str, part: &impl SettingsSection) {
        let length = self.prefix.len();
        self.prefix.push_str(section);
        self.prefix.push(':');
        part.validate(self);
        self.prefix.truncate(length);
    }

    /// The name and the allowed values of each rule that does not hold.
    pub(super) fn into_violations(self) -> Vec<(String, String)> {
        self.violations
    }
}
