//! `conformance --vault`: clients of Vault against our vault, and the table of their results.
//!
//! Does not own what is expected: each client has its runner in `conformance/vault`.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};

use crate::conformance::{ScenarioResult, ServerProcess, target_folder};
use crate::reading::workspace_root;

const TABLE: &str = "docs/VAULT_COMPATIBILITY.md";
const OPENING: &str = "\
# Clients of Vault

What unmodified clients of HashiCorp Vault see of `planisphere secret-migration vault`. Written by
`cargo xtask conformance --vault` from the results of one run. A cell is passed scenarios / scenarios the client has
words for.
";

/// A client of Vault: a folder in `conformance/vault`, its name for users, and how it is made ready and run.
struct VaultLibrary {
    folder: &'static str,
    package: &'static str,
    prepare: &'static [&'static [&'static str]],
    run: &'static [&'static str],
}

const LIBRARIES: [VaultLibrary; 3] = [
    VaultLibrary {
        folder: "python",
        package: "hvac (Python) 2.4.0",
        prepare: &[
            &["python3", "-m", "venv", "{tools}"],
            &["{tools}/bin/pip", "install", "--quiet", "-r", "{runner}/requirements.txt"],
        ],
        run: &["{tools}/bin/python", "{runner}/run.py"],
    },
    VaultLibrary {
        folder: "javascript",
        package: "node-vault (npm) 0.12.0",
        prepare: &[
            &["mkdir", "-p", "{tools}"],
            &["cp", "-r", "{runner}/.", "{tools}"],
            &["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", "{tools}"],
        ],
        run: &["node", "{tools}/run.mjs"],
    },
    VaultLibrary {
        folder: "go",
        package: "hashicorp/vault/api (Go) 1.23.0",
        prepare: &[
            &["mkdir", "-p", "{tools}"],
            &["go", "build", "-C", "{runner}", "-o", "{tools}/run", "."],
        ],
        run: &["{tools}/run"],
    },
];

/// Our vault, stopped when it is dropped.
struct VaultProcess {
    child: Child,
    endpoint: String,
    token: String,
}

impl VaultProcess {
    fn start() -> Result<Self, String> {
        let mut child = Command::new(target_folder().join("debug/planisphere"))
            .args(["secret-migration", "vault", "--memory", "--port", "0", "--ready-json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the vault could not be started: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let member = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
            rest.split_once('"').map(|(value, _)| value.to_owned())
        };
        let (endpoint, token) = (member("endpoint"), member("rootToken"));
        // Built before the check, so that a vault which did not become ready is killed by the drop.
        let mut vault = Self { child, endpoint: String::new(), token: String::new() };
        let (Some(endpoint), Some(token)) = (endpoint, token) else {
            return Err(format!("the vault did not become ready; it said: {line}"));
        };
        (vault.endpoint, vault.token) = (endpoint, token);
        Ok(vault)
    }
}

impl Drop for VaultProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn vault_clients() -> ExitCode {
    match run_all() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("{failed} scenarios failed");
            ExitCode::FAILURE
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run_all() -> Result<usize, String> {
    ServerProcess::build()?;
    let vault = VaultProcess::start()?;
    let mut results = Vec::new();
    for library in &LIBRARIES {
        for words in library.prepare {
            step(library, words, &[])?;
        }
        let more = ["--endpoint", &vault.endpoint, "--token", &vault.token];
        let printed = step(library, library.run, &more)?;
        let lines: Option<Vec<_>> = printed.lines().map(ScenarioResult::parse).collect();
        let lines = lines.filter(|lines| !lines.is_empty());
        let lines = lines.ok_or_else(|| format!("{}: no results", library.package))?;
        println!("{}: {}", library.package, counted(lines.iter()));
        results.push((library, lines));
    }
    let text = table(&results);
    fs::write(workspace_root().join(TABLE), text).map_err(|error| format!("{TABLE}: {error}"))?;
    println!("wrote {TABLE}");
    let all = results.iter().flat_map(|(_, lines)| lines);
    Ok(all.filter(|line| line.outcome == "failed").count())
}

fn step(library: &VaultLibrary, words: &[&str], more: &[&str]) -> Result<String, String> {
    let tools = target_folder().join("conformance/vault").join(library.folder);
    let runner = workspace_root().join("conformance/vault").join(library.folder);
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

fn table(results: &[(&VaultLibrary, Vec<ScenarioResult>)]) -> String {
    let mut text = OPENING.to_owned();
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
        let results: Vec<_> = LIBRARIES.iter().take(1).map(|one| (one, lines.clone())).collect();
        let text = table(&results);
        assert!(
            text.contains("| data | 1 / 2 |\n| access | 0 / 0 |\n| **all** | 1 / 2 |"),
            "{text}"
        );
        assert!(text.contains("b: failed (because)") && text.contains("c: unsupported"), "{text}");
    }
}
