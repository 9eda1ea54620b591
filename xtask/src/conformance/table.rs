//! `docs/COMPATIBILITY.md`: counts by library and the gaps with their reasons; and the long table beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::expected_failures::ExpectedFailures;
use super::library::Library;
use super::scenario_result::ScenarioResult;
use crate::reading::workspace_root;

const OPENING: &str = "\
# Compatibility

What the official client libraries see of our server, unmodified. Written by `cargo xtask conformance` from the results
of one run; `conformance/README.md` says how. That run also writes every area and scenario to
`target/conformance/compatibility.md`.
";

/// The results of the suites that are run by hand, and the tests of what no client library sees.
const BY_HAND: &str = include_str!("../../../conformance/official_suites.md");

const FULL_OPENING: &str = "\
# Compatibility, scenario by scenario

A cell is passed scenarios / scenarios the library has words for.
";

type LibraryResults<'a> = (&'a Library, Vec<ScenarioResult>);

/// The short text: counts by library, then the gaps with their reasons.
pub(crate) fn table(results: &[LibraryResults<'_>], expected: &ExpectedFailures) -> String {
    let mut text = OPENING.to_owned();
    text.push_str("\n| library | passed | failed | not expressible in it |\n|---|---|---|---|\n");
    for (library, lines) in results {
        let count = |outcome: &str| lines.iter().filter(|line| line.outcome == outcome).count();
        let (passed, unsupported) = (count("passed"), count("unsupported"));
        let failed = lines.len() - passed - unsupported;
        let _ = writeln!(text, "| {} | {passed} | {failed} | {unsupported} |", head(library));
    }
    text.push_str("\n## Gaps\n\nWhat fails, with the number of scenarios.\n");
    for (library, lines) in results {
        let failed = by_reason(library, lines, expected, |line| line.outcome != "unsupported");
        let _ = write!(text, "\n**{}**", library.package);
        if failed.is_empty() {
            text.push_str(": none.\n");
            continue;
        }
        text.push_str("\n\n");
        for (reason, scenarios) in failed {
            let _ = writeln!(text, "- {} ({})", reason.trim_end_matches('.'), scenarios.len());
        }
    }
    let _ = write!(text, "\n{BY_HAND}");
    text
}

/// The long text: areas by libraries, and every scenario that did not pass.
pub(crate) fn full_table(results: &[LibraryResults<'_>], expected: &ExpectedFailures) -> String {
    let mut text = FULL_OPENING.to_owned();
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
        let cell = |(_, lines): &LibraryResults<'_>| {
            counted(lines.iter().filter(|line| line.area == area))
        };
        let cells: Vec<String> = results.iter().map(cell).collect();
        let _ = writeln!(text, "| {area} | {} |", cells.join(" | "));
    }
    let sums: Vec<String> = results.iter().map(|(_, lines)| counted(lines.iter())).collect();
    let _ = writeln!(text, "| **all** | {} |", sums.join(" | "));
    for (library, lines) in results {
        let _ = write!(text, "\n## {}\n\n", library.package);
        let is_any = |_: &ScenarioResult| true;
        for (reason, scenarios) in by_reason(library, lines, expected, is_any) {
            let _ = writeln!(text, "- {reason}. Scenarios: {}.", scenarios.join("; "));
        }
    }
    text
}

/// The scenarios that did not pass, by their reason.
fn by_reason<'lines>(
    library: &Library,
    lines: &'lines [ScenarioResult],
    expected: &ExpectedFailures,
    is_listed: impl Fn(&ScenarioResult) -> bool,
) -> BTreeMap<String, Vec<&'lines str>> {
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.outcome != "passed" && is_listed(line)) {
        let reason = match (line.outcome.as_str(), expected.reason(library.name, &line.scenario)) {
            ("unsupported", _) => format!("not expressible: {}", line.reason),
            (_, Some(reason)) => reason.to_owned(),
            (_, None) => line.reason.clone(),
        };
        by_reason.entry(reason).or_default().push(&line.scenario);
    }
    by_reason
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
    use super::{ExpectedFailures, ScenarioResult, full_table, table};
    use crate::conformance::LIBRARIES;

    #[test]
    fn counts_gaps_and_the_long_table_are_written() {
        let line = |scenario: &str, outcome: &str| ScenarioResult {
            scenario: scenario.into(),
            area: "items".into(),
            outcome: outcome.into(),
            reason: "no words".into(),
        };
        let lines = vec![line("a", "passed"), line("b", "unsupported"), line("c", "failed")];
        let results: Vec<_> = LIBRARIES.iter().take(1).map(|one| (one, lines.clone())).collect();
        let expected = ExpectedFailures::parse("python | c | known").unwrap_or_default();
        let check = |text: &str, wanted: &[&str]| {
            for wanted in wanted {
                assert!(text.contains(wanted), "{wanted}\n{text}");
            }
        };
        let short = table(&results, &expected);
        check(&short, &["| 1 | 1 | 1 |", "- known (1)", "azure-cosmos (Python) 4."]);
        assert!(!short.contains("no words"), "only gaps: {short}");
        let long = full_table(&results, &expected);
        let (areas, sums) = ("| items | 1 / 2 |", "| **all** | 1 / 2 |");
        check(
            &long,
            &[areas, sums, "not expressible: no words. Scenarios: b.", "known. Scenarios: c."],
        );
    }
}
