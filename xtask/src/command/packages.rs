//! `packages`: the published crates pack, and cargo has no warning about them.
//!
//! The crates are packed together without compiling them again: `--no-verify` leaves that to the tests. Packages with
//! `publish = false` are left out.

use std::process::{Command, ExitCode, Stdio};

use crate::command::refuse;
use crate::reading::{Tree, packages as workspace_packages, workspace_root};
use crate::test::cargo;

pub(crate) fn packages(arguments: &[String]) -> ExitCode {
    if let Some(unknown) = arguments.first() {
        return refuse(&format!("packages does not know `{unknown}`"));
    }
    let mut command = Command::new(cargo());
    // One command for all crates: they depend on each other in versions that a registry may not have yet, and cargo
    // resolves them only among those it packs together.
    command.args(["package", "--allow-dirty", "--no-verify"]).current_dir(workspace_root());
    let mut names = Vec::new();
    for package in workspace_packages(&Tree::workspace()) {
        let Some(name) = package.manifest.string("package", "name") else { continue };
        if package.manifest.value("package", "publish").is_none_or(|value| value != "false") {
            command.args(["--package", &name]);
            names.push(name);
        }
    }
    if names.is_empty() {
        return refuse("no package of the workspace may be published");
    }
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => return refuse(&format!("cargo could not be started ({error})")),
    };
    let printed = String::from_utf8_lossy(&output.stderr);
    print!("{printed}");
    if !output.status.success() || printed.contains("warning") {
        eprintln!("a package does not pack without a warning");
        return ExitCode::FAILURE;
    }
    println!("packed {}", names.join(", "));
    ExitCode::SUCCESS
}
