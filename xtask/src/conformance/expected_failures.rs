//! Failures that are known, each with its reason, and the judgement of a run against them.

use super::scenario_result::ScenarioResult;

/// The known failures, from lines `library | scenario | reason`.
#[derive(Debug, Default)]
pub(crate) struct ExpectedFailures {
    lines: Vec<(String, String, String)>,
}

impl ExpectedFailures {
    /// Reads the list; empty lines and lines that begin with `#` do not count.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut lines = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let parts: Vec<&str> = line.splitn(3, " | ").map(str::trim).collect();
            let [library, scenario, reason] = parts.as_slice() else {
                return Err(format!("`{line}` is not `library | scenario | reason`"));
            };
            lines.push(((*library).into(), (*scenario).into(), (*reason).into()));
        }
        Ok(Self { lines })
    }

    /// The reason why a scenario fails with a library, if it is known to.
    pub(crate) fn reason(&self, library: &str, scenario: &str) -> Option<&str> {
        let found = self.lines.iter().find(|(of, name, _)| of == library && name == scenario);
        found.map(|(_, _, reason)| reason.as_str())
    }

    /// What is wrong with the results of a library: failures nobody expects, passes nobody expects, and expected
    /// failures of scenarios that were not run.
    pub(crate) fn complaints(&self, library: &str, results: &[ScenarioResult]) -> Vec<String> {
        let mut complaints = Vec::new();
        for line in results {
            let ScenarioResult { scenario, outcome, reason, .. } = line;
            match (outcome.as_str(), self.reason(library, scenario)) {
                ("passed" | "unsupported", None) | ("failed", Some(_)) => {}
                ("passed" | "unsupported", Some(_)) => complaints.push(format!(
                    "{library}: `{scenario}` is {outcome} and was expected to fail; take it off the list"
                )),
                _ => complaints.push(format!("{library}: `{scenario}` {outcome}: {reason}")),
            }
        }
        for (of, name, _) in &self.lines {
            if of == library && !results.iter().any(|line| line.scenario == *name) {
                complaints.push(format!("{library}: `{name}` is expected to fail and was not run"));
            }
        }
        complaints
    }
}

#[cfg(test)]
mod tests {
    use super::{ExpectedFailures, ScenarioResult};

    fn check(outcome: &str, list: &str, complaints: usize) {
        let line = ScenarioResult {
            scenario: "s".into(),
            area: "a".into(),
            outcome: outcome.into(),
            reason: "r".into(),
        };
        let expected = ExpectedFailures::parse(list).unwrap_or_default();
        assert_eq!(expected.complaints("python", &[line]).len(), complaints, "{outcome} {list}");
    }

    #[test]
    fn only_what_is_expected_may_fail_and_it_must() {
        check("passed", "", 0);
        check("unsupported", "", 0);
        check("failed", "", 1);
        check("failed", "python | s | known", 0);
        check("passed", "python | s | known", 1);
        check("failed", "javascript | s | known", 1);
        check("passed", "# a remark\npython | other | known", 1);
        check("odd", "", 1);
    }

    #[test]
    fn a_line_without_a_reason_is_refused() {
        assert!(ExpectedFailures::parse("python | s").is_err());
    }
}
