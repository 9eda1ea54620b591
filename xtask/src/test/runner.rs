//! Runs steps one after the other: heading, command, duration. Stops at the first failure and ends with a summary.
//!
//! The output of a step is passed through line by line while its test results are counted. A step that fails without a
//! failed test counts as one failure, a step left out for a missing tool as one skipped, so the last line never claims
//! more than what happened.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::steps::TestStep;
use super::tally::TestTally;
use super::tools::RequiredTool;
use crate::debian_package::install_package;
use crate::reading::workspace_root;

/// The cargo that runs us, or the one in the path.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs `steps` in order; prints the duration of each and, as the last line, the sum of the test results.
pub(crate) fn run_steps(steps: &[&TestStep]) -> ExitCode {
    let mut tally = TestTally::default();
    let mut durations: Vec<(&str, String)> = Vec::new();
    let (mut code, started) = (ExitCode::SUCCESS, now());
    for (index, step) in steps.iter().enumerate() {
        print_line(&format!("[{}/{}] {}: {}", index + 1, steps.len(), step.name, step.purpose));
        if let Some(tool) = step.needs.iter().find(|tool| !is_installed(tool)) {
            let RequiredTool { name, get, .. } = tool;
            print_line(&format!("SKIPPED {}: {name} is missing; get it with: {get}", step.name));
            durations.push((step.name, "skipped".to_owned()));
            tally.skipped += 1;
            continue;
        }
        for tool in step.uses.iter().filter(|tool| !is_provided(tool)) {
            let RequiredTool { name, get, .. } = tool;
            print_line(&format!(
                "SKIPPED a part of {}: {name} is missing; get it with: {get}",
                step.name
            ));
            tally.skipped += 1;
        }
        print_line(&format!("$ {}", step.printed()));
        let step_started = now();
        let failed_before = tally.failed;
        let mut command = command(step.command);
        command.envs(step.environment.iter().copied());
        let result = run(command, &mut std::io::stdout(), &mut tally);
        let took = seconds(step_started.elapsed());
        durations.push((step.name, took.clone()));
        match result {
            Ok(()) => print_line(&format!("{} passed in {took}", step.name)),
            Err(reason) => {
                // A compiler error fails the step without a line of test results.
                if tally.failed == failed_before {
                    tally.failed += 1;
                }
                let again = format!("run it alone with: cargo xtask test --only {}", step.name);
                print_line(&format!("FAILED {} after {took}: {reason}; {again}", step.name));
                code = ExitCode::FAILURE;
                break;
            }
        }
    }
    print_durations(&durations, started.elapsed());
    print_line(&tally.to_string());
    code
}

fn print_durations(durations: &[(&str, String)], total: Duration) {
    print_line("");
    for (name, duration) in durations {
        print_line(&format!("{name:<20} {duration:>10}"));
    }
    print_line(&format!("{:<20} {:>10}", "total", seconds(total)));
}

/// Prints to standard output like the steps do, so that the order of lines is kept.
fn print_line(line: &str) {
    let mut stdout = std::io::stdout();
    // A closed pipe must not stop the steps.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

fn command(words: &[&str]) -> Command {
    let (program, arguments) =
        words.split_first().map_or(("", words), |(first, rest)| (*first, rest));
    let program = if program == "cargo" { cargo() } else { program.into() };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(workspace_root());
    command
}

/// Whether a tool exists, after an attempt to install it.
fn is_provided(tool: &RequiredTool) -> bool {
    is_installed(tool) || tool.package.is_some_and(install_package) && is_installed(tool)
}

fn is_installed(tool: &RequiredTool) -> bool {
    let mut probe = command(tool.probe);
    let status = probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

// Only standard output is read. Standard error is inherited: progress of cargo appears at once, and a second pipe that
// nobody reads could fill up and block the step. Standard input is empty, so that no step waits for a person.
fn run(mut command: Command, to: &mut impl Write, tally: &mut TestTally) -> Result<(), String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("it could not be started ({error})"))?;
    if let Some(output) = child.stdout.take() {
        pass_through(BufReader::new(output), to, tally);
    }
    let status = child.wait().map_err(|error| format!("it could not be awaited ({error})"))?;
    if status.success() { Ok(()) } else { Err(format!("it ended with {status}")) }
}

/// Prints every line as it comes; output that is not text is printed too, with its odd bytes replaced.
fn pass_through(mut from: impl BufRead, to: &mut impl Write, tally: &mut TestTally) {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line);
        tally.read(&text);
        // A closed pipe must not stop the steps.
        let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
        line.clear();
    }
}

#[allow(clippy::disallowed_methods, reason = "a task runner measures real time")]
fn now() -> Instant {
    Instant::now()
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::{command, is_installed, pass_through, run};
    use crate::test::tally::TestTally;
    use crate::test::tools::RequiredTool;

    fn check(words: &[&str], expected: Result<(), &str>) {
        let mut command = command(words);
        command.stderr(Stdio::null());
        let ended = run(command, &mut Vec::new(), &mut TestTally::default());
        match (ended, expected) {
            (Ok(()), Ok(())) => {}
            (Err(reason), Err(start)) if reason.starts_with(start) => {}
            (ended, expected) => panic!("{ended:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn a_step_succeeds_fails_or_cannot_start() {
        check(&["cargo", "--version"], Ok(()));
        check(&["cargo", "no-such-command"], Err("it ended with"));
        check(&["no-such-program-at-all"], Err("it could not be started"));
    }

    #[test]
    fn a_missing_tool_is_noticed() {
        let tool = |probe| RequiredTool { name: "x", probe, get: "y", package: None };
        assert!(is_installed(&tool(&["cargo", "--version"])));
        assert!(!is_installed(&tool(&["no-such-program-at-all"])));
    }

    #[test]
    fn results_are_read_while_passing_through() {
        let from = b"\xff\ntest result: ok. 1 passed; 0 failed; 2 ignored\n";
        let (mut to, mut tally) = (Vec::new(), TestTally::default());
        pass_through(from.as_slice(), &mut to, &mut tally);
        assert_eq!(tally, TestTally { passed: 1, failed: 0, skipped: 2 });
        assert!(String::from_utf8_lossy(&to).starts_with("\u{fffd}\ntest result: ok. 1 passed"));
    }
}
