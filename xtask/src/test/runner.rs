//! Runs steps one after the other: heading, command, time; stops at the first that fails; ends with the sum.
//!
//! The output of a step is passed through line by line while its test results are read from it. A step that fails
//! without a failed test counts as one failure, a step left out for a missing tool as one skipped, so the last line
//! never claims more than what happened.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::steps::{Step, Tool};
use super::tally::Tally;
use crate::reading::our_root;

/// The cargo that runs us, or the one in the path.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs `steps` in order and prints the sum as the last line.
pub(crate) fn run_steps(steps: &[&Step]) -> ExitCode {
    let mut tally = Tally::default();
    let mut code = ExitCode::SUCCESS;
    for (index, step) in steps.iter().enumerate() {
        heading(&format!("[{}/{}] {}: {}", index + 1, steps.len(), step.name, step.purpose));
        if let Some(tool) = step.needs.iter().find(|tool| !is_there(tool)) {
            let Tool { name, get, .. } = tool;
            heading(&format!("SKIPPED {}: {name} is missing; get it with: {get}", step.name));
            tally.skipped += 1;
            continue;
        }
        heading(&format!("$ {}", step.printed()));
        let started = now();
        let failed_before = tally.failed;
        let outcome = run(command(step.command), &mut std::io::stdout(), &mut tally);
        let took = seconds(started.elapsed());
        match outcome {
            Ok(()) => heading(&format!("{} passed in {took}", step.name)),
            Err(reason) => {
                if tally.failed == failed_before {
                    tally.failed += 1;
                }
                let again = format!("run it alone with: cargo xtask test --only {}", step.name);
                heading(&format!("FAILED {} after {took}: {reason}; {again}", step.name));
                code = ExitCode::FAILURE;
                break;
            }
        }
    }
    heading(&tally.to_string());
    code
}

/// Lines of ours go to the same place as those of the steps, so that their order is kept.
fn heading(line: &str) {
    let mut stdout = std::io::stdout();
    // A closed pipe must not stop the steps.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

fn command(words: &[&str]) -> Command {
    let (program, arguments) =
        words.split_first().map_or(("", words), |(first, rest)| (*first, rest));
    let program = if program == "cargo" { cargo() } else { program.into() };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(our_root());
    command
}

fn is_there(tool: &Tool) -> bool {
    let mut probe = command(tool.probe);
    let status = probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn run(mut command: Command, to: &mut impl Write, tally: &mut Tally) -> Result<(), String> {
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
fn pass_through(mut from: impl BufRead, to: &mut impl Write, tally: &mut Tally) {
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

    use super::{command, is_there, pass_through, run};
    use crate::test::steps::Tool;
    use crate::test::tally::Tally;

    fn check(words: &[&str], expected: Result<(), &str>) {
        let mut command = command(words);
        command.stderr(Stdio::null());
        let ended = run(command, &mut Vec::new(), &mut Tally::default());
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
        let tool = |probe| Tool { name: "x", probe, get: "y" };
        assert!(is_there(&tool(&["cargo", "--version"])));
        assert!(!is_there(&tool(&["no-such-program-at-all"])));
    }

    #[test]
    fn results_are_read_while_passing_through() {
        let from = b"\xff\ntest result: ok. 1 passed; 0 failed; 2 ignored\n";
        let (mut to, mut tally) = (Vec::new(), Tally::default());
        pass_through(from.as_slice(), &mut to, &mut tally);
        assert_eq!(tally, Tally { passed: 1, failed: 0, skipped: 2 });
        assert!(String::from_utf8_lossy(&to).starts_with("\u{fffd}\ntest result: ok. 1 passed"));
    }
}
