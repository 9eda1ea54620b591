//! `bench`: the benchmarks in release mode, arguments passed through.

use std::process::{Command, ExitCode};

use crate::test::cargo;

pub(crate) fn bench(arguments: &[String]) -> ExitCode {
    let status = Command::new(cargo())
        .args(["run", "--release", "--package", "benchmarks", "--"])
        .args(arguments)
        .current_dir(crate::reading::our_root())
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("the benchmarks ended with {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("cargo could not be started: {error}");
            ExitCode::FAILURE
        }
    }
}
