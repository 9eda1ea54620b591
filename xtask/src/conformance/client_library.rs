//! Clients of protocols other than that of the database: how each is made ready and run, and the table of results.
//!
//! Does not own what is expected: each client has its runner in a folder of `conformance`.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, ExitCode, Stdio};

use super::runner::target_folder;
use super::scenario_result::ScenarioResult;
use crate::reading::workspace_root;

/// A client: its folder in the group's, its name for users, and how it is made ready and run.
pub(crate) struct ClientLibrary {
    pub(crate) folder: &'static str,
    pub(crate) package: &'static str,
    pub(crate) prepare: &'static [&'static [&'static str]],
    pub(crate) run: &'static [&'static str],
}

/// What every client said.
pub(crate) type ClientResults = Vec<(&'static ClientLibrary, Vec<ScenarioResult>)>;

/// Makes every client of a group ready and runs it with `more` arguments. `group` is the folder in `conformance`.
pub(crate) fn run_clients(
    group: &str,
    libraries: &'static [ClientLibrary],
    more: &[&str],
) -> Result<ClientResults, String> {
    let mut results = Vec::new();
    for library in libraries {
        for words in library.prepare {
            step(group, library, words, &[])?;
        }
        let printed = step(group, library, library.run, more)?;
        let lines: Option<Vec<_>> = printed.lines().map(ScenarioResult::parse).collect();
        let lines = lines.filter(|lines| !lines.is_empty());
        let lines = lines.ok_or_else(|| format!("{}: no results", library.package))?;
        println!("{}: {}", library.package, counted(lines.iter()));
        results.push((library, lines));
    }
    Ok(results)
}

/// Writes the table of a run and counts the scenarios that failed.
pub(crate) fn write_client_table(
    path: &str,
    opening: &str,
    results: &ClientResults,
) -> Result<usize, String> {
    let text = client_table(opening, results);
    fs::write(workspace_root().join(path), text).map_err(|error| format!("{path}: {error}"))?;
    println!("wrote {path}");
    let all = results.iter().flat_map(|(_, lines)| lines);
    Ok(all.filter(|line| line.outcome == "failed").count())
}

/// How the command ends after a run with so many failed scenarios.
pub(crate) fn clients_exit_code(failed: Result<usize, String>) -> ExitCode {
    let reason = match failed {
        Ok(0) => return ExitCode::SUCCESS,
        Ok(failed) => format!("{failed} scenarios failed"),
        Err(reason) => reason,
    };
    eprintln!("{reason}");
    ExitCode::FAILURE
}

fn step(
    group: &str,
    library: &ClientLibrary,
    words: &[&str],
    more: &[&str],
) -> Result<String, String> {
    let tools = target_folder().join("conformance").join(group).join(library.folder);
    let runner = workspace_root().join("conformance").join(group).join(library.folder);
    let fill = |word: &&str| {
        word.replace("{tools}", &tools.display().to_string())
            .replace("{runner}", &runner.display().to_string())
    };
    let words: Vec<String> = words.iter().map(fill).collect();
    let Some((program, arguments)) = words.split_first() else { return Ok(String::new()) };
    let mut command = Command::new(program);
    command.args(arguments).args(more).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("`{}` ended with {}", words.join(" "), output.status)),
    }
}

/// Passed scenarios / scenarios that the client has words for.
fn counted<'a>(lines: impl Iterator<Item = &'a ScenarioResult>) -> String {
    let (mut passed, mut all) = (0, 0);
    for line in lines.filter(|line| line.outcome != "unsupported") {
        all += 1;
        passed += usize::from(line.outcome == "passed");
    }
    format!("{passed} / {all}")
}

/// The table of a run behind its opening.
fn client_table(opening: &str, results: &ClientResults) -> String {
    let mut text = opening.to_owned();
    let heads: Vec<&str> = results.iter().map(|(library, _)| library.package).collect();
    let _ = writeln!(text, "\n| area | {} |", heads.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(heads.len()));
    let mut areas: Vec<&str> = Vec::new();
    for line in results.iter().flat_map(|(_, lines)| lines) {
        if !areas.contains(&line.area.as_str()) {
            areas.push(&line.area);
        }
    }
    for area in areas {
        let cells =
            results.iter().map(|(_, lines)| counted(lines.iter().filter(|line| line.area == area)));
        let _ = writeln!(text, "| {area} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    let sums = results.iter().map(|(_, lines)| counted(lines.iter()));
    let _ = writeln!(text, "| **all** | {} |", sums.collect::<Vec<_>>().join(" | "));
    for (library, lines) in results {
        for line in lines.iter().filter(|line| line.outcome != "passed") {
            let (package, scenario) = (library.package, &line.scenario);
            let _ = writeln!(text, "\n- {package}, {scenario}: {} ({})", line.outcome, line.reason);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: ClientLibrary =
        ClientLibrary { folder: "f", package: "p", prepare: &[], run: &[] };

    #[test]
    fn a_table_counts_what_a_client_has_words_for() {
        let line = |scenario: &str, area: &str, outcome: &str| ScenarioResult {
            scenario: scenario.to_owned(),
            area: area.to_owned(),
            outcome: outcome.to_owned(),
            reason: "because".to_owned(),
        };
        let lines = vec![
            line("a", "data", "passed"),
            line("b", "data", "failed"),
            line("c", "access", "unsupported"),
        ];
        let results = vec![(&LIBRARY, lines)];
        let text = client_table("", &results);
        assert!(
            text.contains("| data | 1 / 2 |\n| access | 0 / 0 |\n| **all** | 1 / 2 |"),
            "{text}"
        );
        assert!(text.contains("b: failed (because)") && text.contains("c: unsupported"), "{text}");
    }
}
