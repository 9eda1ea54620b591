//! `examples`: the examples run to their end, the ones that take a folder twice on the same folder.
//!
//! The binaries are those that the tests built, so that nothing is compiled again with other features.

use std::process::{Command, ExitCode, Stdio};

use crate::command::refuse;
use crate::conformance::{ServerProcess, target_folder};

const EXAMPLES: &[&str] = &["client", "embedded"];
const RUNS: usize = 2;

pub(crate) fn examples(arguments: &[String]) -> ExitCode {
    if let Some(unknown) = arguments.first() {
        return refuse(&format!("examples does not know `{unknown}`"));
    }
    if let Err(reason) = ServerProcess::build() {
        return refuse(&reason);
    }
    for name in EXAMPLES {
        let folder = target_folder().join("examples").join(name);
        // A folder of an earlier run is what a user has, too; only a first run needs none.
        let _ = std::fs::remove_dir_all(&folder);
        for run in 1..=RUNS {
            let program = target_folder().join("debug/examples").join(name);
            let status = Command::new(&program).arg(&folder).stdin(Stdio::null()).status();
            if !status.is_ok_and(|status| status.success()) {
                eprintln!("the example {name} failed in run {run} on {}", folder.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
