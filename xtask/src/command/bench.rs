//! `bench`: the benchmarks in the profile `dist`, arguments passed through.
//!
//! The query benchmarks compare with other databases by a feature, which only they have to build. The gateway
//! benchmarks start the server as a user would, so its binary is built first.

use std::process::{Command, ExitCode};

use crate::test::{FULL, cargo};

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
    if arguments.first().is_some_and(|first| first == "gateway") {
        let built = Command::new(cargo())
            .args([
                "build",
                "--profile",
                "dist",
                "--package",
                "planisphere-server",
                "--features",
                FULL,
                "--bin",
                "planisphere",
            ])
            .current_dir(crate::reading::workspace_root())
            .status();
        if !built.is_ok_and(|status| status.success()) {
            eprintln!("the server could not be built");
            return ExitCode::FAILURE;
        }
    }
    let status = Command::new(cargo())
        .args(["run", "--profile", "dist", "--package", "benchmarks"])
        .args(features)
        .arg("--")
        .args(arguments)
        .current_dir(crate::reading::workspace_root())
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
