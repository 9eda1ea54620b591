//! `bench`: the benchmarks in release mode, arguments passed through.
//!
//! The query benchmarks compare with other databases, which only they have to build.

use std::process::{Command, ExitCode};

use crate::test::cargo;

pub(crate) fn bench(arguments: &[String]) -> ExitCode {
    // `cargo xtask bench -- queries` and `cargo xtask bench queries` mean the same.
    let arguments = match arguments {
        [first, rest @ ..] if first == "--" => rest,
        all => all,
    };
    let features: &[&str] = match arguments.first() {
        Some(first) if first == "queries" => &["--features", "peers"],
        _ => &[],
    };
    let status = Command::new(cargo())
        .args(["run", "--release", "--package", "benchmarks"])
        .args(features)
        .arg("--")
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
