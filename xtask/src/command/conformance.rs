//! `conformance`: the official client libraries against our server, and the table of their results.

use std::fs;
use std::process::ExitCode;

use crate::command::refuse;
use crate::command::signalr_clients::signalr_clients;
use crate::command::vault_clients::vault_clients;
use crate::conformance::{
    ExpectedFailures, HEADING, LIBRARIES, Library, SDK_TESTS, ScenarioResult, ServerProcess,
    check_snippet, full_table, is_installed, prepare, run, run_sdk_tests, section, table,
};
use crate::reading::workspace_root;

const TABLE: &str = "docs/COMPATIBILITY.md";
const FULL_TABLE: &str = "target/conformance/compatibility.md";

/// Folders of scenarios, and how the server is started for each.
const FOLDERS: &[(&str, &[&str])] = &[
    ("conformance/scenarios", &[]),
    ("conformance/scenarios/generous", &["--cross-partition", "generous"]),
    ("conformance/scenarios/secure", &["--tls"]),
];

pub(crate) fn conformance(arguments: &[String]) -> ExitCode {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["--signalr"] => return signalr_clients(),
        ["--vault"] => return vault_clients(),
        _ => {}
    }
    let with_sdk_tests = arguments == ["--full"];
    let chosen: Vec<&Library> = match arguments.as_slice() {
        [] | ["--full"] => LIBRARIES.iter().collect(),
        ["--only", name] => LIBRARIES.iter().filter(|library| library.name == *name).collect(),
        [unknown, ..] => return refuse(&format!("conformance does not know `{unknown}`")),
    };
    if chosen.is_empty() {
        return refuse("`--only` needs the name of a runner in conformance/runners");
    }
    match run_all(&chosen, with_sdk_tests) {
        Ok(complaints) if complaints.is_empty() => ExitCode::SUCCESS,
        Ok(complaints) => {
            for complaint in &complaints {
                eprintln!("{complaint}");
            }
            eprintln!("{} complaints", complaints.len());
            ExitCode::FAILURE
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the chosen libraries, and the tests of one of them; writes the table when every library was run.
fn run_all(chosen: &[&'static Library], with_sdk_tests: bool) -> Result<Vec<String>, String> {
    let root = workspace_root().join("conformance");
    let list = fs::read_to_string(root.join("expected_failures.txt"));
    let list = list.map_err(|error| format!("expected_failures.txt: {error}"))?;
    let expected = ExpectedFailures::parse(&list)?;
    ServerProcess::build()?;
    let mut servers = Vec::new();
    for (folder, more) in FOLDERS {
        servers.push((*folder, ServerProcess::start(more)?));
    }
    let (mut results, mut complaints) = (Vec::new(), Vec::new());
    for library in chosen {
        if !is_installed(library) {
            println!("SKIPPED {}: its toolchain is missing; get {}", library.name, library.get);
            continue;
        }
        prepare(library)?;
        let mut lines = Vec::new();
        for (folder, server) in &servers {
            lines.extend(scenarios(library, folder, server)?);
        }
        complaints.extend(expected.complaints(library.name, &lines));
        let plain = servers.first().ok_or("there is no server")?;
        if let Err(reason) = check_snippet(library, &plain.1) {
            complaints.push(format!("{}: guide: {reason}", library.name));
        }
        print_summary(library.name, &lines);
        results.push((*library, lines));
    }
    // The tests of the library itself start a server of their own.
    drop(servers);
    let path = workspace_root().join(TABLE);
    let mut sdk_section = kept_section(&fs::read_to_string(&path).unwrap_or_default());
    if with_sdk_tests {
        let lines = run_sdk_tests()?;
        complaints.extend(expected.complaints(SDK_TESTS, &lines));
        print_summary(SDK_TESTS, &lines);
        sdk_section = section(&lines, &expected);
    }
    // A run with a missing toolchain must not remove that library's column from the table.
    if results.len() == LIBRARIES.len() {
        write_full_table(&full_table(&results, &expected))?;
        let text = format!("{}\n{sdk_section}", table(&results, &expected));
        fs::write(path, text.trim_end().to_owned() + "\n")
            .map_err(|error| format!("{TABLE}: {error}"))?;
        println!("wrote {TABLE}");
    }
    Ok(complaints)
}

/// Writes the long table, which is not part of the repository.
fn write_full_table(text: &str) -> Result<(), String> {
    let path = workspace_root().join(FULL_TABLE);
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("{FULL_TABLE}: {error}"))?;
    println!("wrote {FULL_TABLE}");
    Ok(())
}

/// The section about the tests that only `--full` runs, as it was written last.
fn kept_section(table: &str) -> String {
    table.find(HEADING).and_then(|at| table.get(at..)).unwrap_or_default().to_owned()
}

fn scenarios(
    library: &Library,
    folder: &str,
    server: &ServerProcess,
) -> Result<Vec<ScenarioResult>, String> {
    let folder = workspace_root().join(folder).display().to_string();
    let endpoint_and_key = ["--endpoint", server.endpoint(), "--key", server.key()];
    let more = [&endpoint_and_key[..], &["--scenarios", &folder]].concat();
    let printed = run(library, library.run, &more, &[])?;
    let read =
        |line| ScenarioResult::parse(line).ok_or(format!("{} printed `{line}`", library.name));
    let lines: Vec<ScenarioResult> = printed.lines().map(read).collect::<Result<_, _>>()?;
    // No output means a runner that found no scenario, not one that passed them all.
    if lines.is_empty() {
        return Err(format!("{} ran no scenario", library.name));
    }
    Ok(lines)
}

/// One line per library, which also counts in the sum of `cargo xtask test`.
fn print_summary(name: &str, lines: &[ScenarioResult]) {
    let count = |outcome| lines.iter().filter(|line| line.outcome == outcome).count();
    let (passed, failed) = (count("passed"), count("failed"));
    let unsupported = count("unsupported");
    println!("{name}: {passed} passed, {failed} failed, {unsupported} unsupported");
}
