//! What a check reports: findings that fail it, and notes about what it could not look at.
//!
//! Does not own: the exceptions we tolerate for now; see `ratchet.rs`.

use std::fmt;

/// One broken rule at one place, with everything needed to repair it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TidyFinding {
    /// Path from the root, with `/` between its parts.
    pub(crate) path: String,
    /// First line concerned, counted from one.
    pub(crate) line: usize,
    /// Short name of the rule.
    pub(crate) rule: String,
    /// What, why and remedy, as one sentence each.
    pub(crate) message: TidyMessage,
}

/// The three parts of a finding that a person reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TidyMessage {
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) remedy: String,
}

impl TidyMessage {
    pub(crate) fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { what: what.into(), why: why.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for TidyFinding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, rule, message } = self;
        let TidyMessage { what, why, remedy } = message;
        write!(formatter, "{path}:{line}: {rule}: {what}; {why}; {remedy}")
    }
}

/// Everything one or several checks had to say.
#[derive(Debug, Default)]
pub(crate) struct TidyReport {
    pub(crate) findings: Vec<TidyFinding>,
    /// Subjects that do not exist yet; printed, never swallowed.
    pub(crate) skipped: Vec<String>,
}

impl TidyReport {
    pub(crate) fn find(&mut self, path: &str, line: usize, rule: &str, message: TidyMessage) {
        let rule = rule.to_owned();
        self.findings.push(TidyFinding { path: path.to_owned(), line, rule, message });
    }

    pub(crate) fn skip(&mut self, rule: &str, why: &str) {
        self.skipped.push(format!("{rule}: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::{TidyMessage, TidyReport};

    #[test]
    fn a_finding_prints_place_rule_what_why_and_remedy() {
        let mut report = TidyReport::default();
        report.find("a/b.rs", 7, "names", TidyMessage::new("bad name", "it grows", "rename it"));
        let printed: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        assert_eq!(printed, ["a/b.rs:7: names: bad name; it grows; rename it"]);
    }
}
