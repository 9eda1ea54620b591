//! `docs/COMPATIBILITY.md`: areas by libraries, and the gaps with their reasons.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::expected_failures::ExpectedFailures;
use super::library::Library;
use super::scenario_result::ScenarioResult;
use crate::reading::workspace_root;

const OPENING: &str = "\
# Compatibility

What the official client libraries see of our server, unmodified. Written by `cargo xtask conformance` from the results
of one run; `conformance/README.md` says how. A cell is passed scenarios / scenarios the library has words for.
";

/// The whole text.
pub(crate) fn table(
    results: &[(&Library, Vec<ScenarioResult>)],
    expected: &ExpectedFailures,
) -> String {
    let mut text = OPENING.to_owned();
    let heads: Vec<String> = results.iter().map(|(library, _)| head(library)).collect();
    let _ = writeln!(text, "\n| area | {} |", heads.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(heads.len()));
    let mut areas: Vec<&str> = Vec::new();
    for line in results.iter().flat_map(|(_, lines)| lines) {
        if !areas.contains(&line.area.as_str()) {
            areas.push(&line.area);
        }
    }
    for area in areas {
        let cell = |(_, lines): &(&Library, Vec<ScenarioResult>)| {
            counted(lines.iter().filter(|line| line.area == area))
        };
        let cells: Vec<String> = results.iter().map(cell).collect();
        let _ = writeln!(text, "| {area} | {} |", cells.join(" | "));
    }
    let sums: Vec<String> = results.iter().map(|(_, lines)| counted(lines.iter())).collect();
    let _ = writeln!(text, "| **all** | {} |", sums.join(" | "));
    for (library, lines) in results {
        let _ = write!(text, "\n## Gaps of {}\n\n", library.package);
        gaps(&mut text, library, lines, expected);
    }
    text
}

fn gaps(
    text: &mut String,
    library: &Library,
    lines: &[ScenarioResult],
    expected: &ExpectedFailures,
) {
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.outcome != "passed") {
        let reason = match (line.outcome.as_str(), expected.reason(library.name, &line.scenario)) {
            ("unsupported", _) => format!("Not expressible: {}", line.reason),
            (_, Some(reason)) => format!("Fails: {reason}"),
            (_, None) => format!("Fails: {}", line.reason),
        };
        by_reason.entry(reason).or_default().push(&line.scenario);
    }
    if by_reason.is_empty() {
        text.push_str("None.\n");
    }
    for (reason, scenarios) in by_reason {
        let _ = writeln!(text, "- {reason}. Scenarios: {}.", scenarios.join("; "));
    }
}

fn counted<'a>(lines: impl Iterator<Item = &'a ScenarioResult>) -> String {
    let (mut passed, mut said) = (0, 0);
    for line in lines.filter(|line| line.outcome != "unsupported") {
        said += 1;
        passed += usize::from(line.outcome == "passed");
    }
    format!("{passed} / {said}")
}

/// The package with the version its runner pins.
fn head(library: &Library) -> String {
    let (file, before) = library.pin;
    let path = workspace_root().join("conformance/runners").join(library.name).join(file);
    let pinned = std::fs::read_to_string(path).unwrap_or_default();
    let version = pinned.split_once(before).map_or("", |(_, rest)| rest);
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '.' || char == '-';
    let version: String = version.chars().take_while(|char| is_part(*char)).collect();
    format!("{} {version}", library.package)
}

#[cfg(test)]
mod tests {
    use super::{ExpectedFailures, ScenarioResult, table};
    use crate::conformance::LIBRARIES;

    #[test]
    fn areas_sums_and_gaps_are_written() {
        let line = |scenario: &str, outcome: &str| ScenarioResult {
            scenario: scenario.into(),
            area: "items".into(),
            outcome: outcome.into(),
            reason: "no words".into(),
        };
        let lines = vec![line("a", "passed"), line("b", "unsupported"), line("c", "failed")];
        let results: Vec<_> = LIBRARIES.iter().take(1).map(|one| (one, lines.clone())).collect();
        let expected = ExpectedFailures::parse("python | c | known").unwrap_or_default();
        let text = table(&results, &expected);
        for wanted in [
            "| items | 1 / 2 |",
            "| **all** | 1 / 2 |",
            "Not expressible: no words. Scenarios: b.",
            "Fails: known. Scenarios: c.",
            "azure-cosmos (Python) 4.",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
    }
}
