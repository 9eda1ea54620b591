//! `msrv`: the workspace compiles with the compiler that `rust-version` promises.
//!
//! When the compiler in use is that version, the other steps have shown it already and nothing is compiled again.

use std::process::{Command, ExitCode, Stdio};

use crate::command::refuse;
use crate::reading::{Manifest, Tree, workspace_root};
use crate::test::{FULL, cargo};

pub(crate) fn msrv(arguments: &[String]) -> ExitCode {
    if let Some(unknown) = arguments.first() {
        return refuse(&format!("msrv does not know `{unknown}`"));
    }
    let text = Tree::workspace().text("Cargo.toml").unwrap_or_default();
    let Some(promised) = Manifest::parse(&text).string("workspace.package", "rust-version") else {
        return refuse("Cargo.toml has no `rust-version` in `[workspace.package]`");
    };
    let current = Command::new(cargo()).arg("--version").output();
    let current = current.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let current = current.unwrap_or_default();
    let is_promised = |version: &str| {
        version == promised
            // `1.95` promises every `1.95.x`, but is also the start of a later `1.950`.
            || version.strip_prefix(&promised).is_some_and(|rest| rest.starts_with('.'))
    };
    if current.split_whitespace().nth(1).is_some_and(is_promised) {
        println!("this toolchain is Rust {promised}, the oldest one promised");
        return ExitCode::SUCCESS;
    }
    let mut probe = Command::new("rustup");
    probe
        .args(["run", &promised, "cargo", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        println!(
            "SKIPPED msrv: Rust {promised} is missing; get it with: rustup toolchain install {promised}"
        );
        return ExitCode::SUCCESS;
    }
    let mut check = Command::new("rustup");
    check.args([
        "run",
        &promised,
        "cargo",
        "check",
        "--workspace",
        "--all-targets",
        "--features",
        FULL,
    ]);
    let status = check.current_dir(workspace_root()).status();
    if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
