//! The rules of settings that their types cannot say.
//!
//! Owns how a rule is told: a system names the setting, whether it holds and what is allowed; value and source are
//! added by whoever loads.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Settings of a program, or of a part of it.
pub trait Settings: Default + Serialize + DeserializeOwned {
    /// Says which values are refused, by full name (`Section:Name`).
    fn check(&self, check: &mut Check) {
        let _ = check;
    }
}

/// Collects what is refused.
#[derive(Debug, Default)]
pub struct Check {
    prefix: String,
    refused: Vec<(String, String)>,
}

impl Check {
    /// The value must be in the range.
    pub fn within<N: PartialOrd + Display + Copy>(
        &mut self,
        name: &str,
        value: N,
        allowed: RangeInclusive<N>,
    ) {
        let text = format!("allowed is {} to {}", allowed.start(), allowed.end());
        self.require(name, allowed.contains(&value), &text);
    }

    /// The rule must hold; `allowed` says what would be right.
    pub fn require(&mut self, name: &str, holds: bool, allowed: &str) {
        if !holds {
            self.refused.push((format!("{}{name}", self.prefix), allowed.to_owned()));
        }
    }

    /// The rules of a part, whose names are below `section`.
    pub fn section(&mut self, section: &str, part: &impl Settings) {
        let length = self.prefix.len();
        self.prefix.push_str(section);
        self.prefix.push(':');
        part.check(self);
        self.prefix.truncate(length);
    }

    /// Name and what is allowed, of all that is refused.
    pub(crate) fn into_refused(self) -> Vec<(String, String)> {
        self.refused
    }
}
