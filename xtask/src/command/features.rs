//! `features`: every package with features compiles without any and with each one alone.
//!
//! Feature unification hides a missing `cfg` or a missing optional dependency while the whole workspace is built. Each
//! set compiles the dependencies anew, and the binary has the most of both: with `--libraries` it is checked without
//! features only.

use std::process::{Command, ExitCode};

use crate::command::refuse;
use crate::reading::{Tree, packages, workspace_root};
use crate::test::cargo;

const BINARY: &str = "planisphere-server";

pub(crate) fn features(arguments: &[String]) -> ExitCode {
    let is_libraries_only = match arguments {
        [] => false,
        [flag] if flag == "--libraries" => true,
        _ => return refuse(&format!("features does not know `{}`", arguments.join(" "))),
    };
    for package in packages(&Tree::workspace()) {
        let names = package.manifest.keys("features");
        let Some(name) = package.manifest.string("package", "name") else { continue };
        if names.is_empty() {
            continue;
        }
        let is_skipped = is_libraries_only && name == BINARY;
        let single = names.iter().filter(|feature| *feature != "default" && !is_skipped);
        let sets = std::iter::once(String::new()).chain(single.cloned());
        for set in sets {
            println!("{name} with {}", if set.is_empty() { "no feature" } else { set.as_str() });
            let mut command = Command::new(cargo());
            command.args(["check", "--quiet", "--package", &name, "--no-default-features"]);
            command.args(["--features", &set]).current_dir(workspace_root());
            if !command.status().is_ok_and(|status| status.success()) {
                eprintln!("`{name}` does not compile with the features `{set}` alone");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
