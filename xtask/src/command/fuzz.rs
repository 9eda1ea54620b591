//! `fuzz`: every coverage-guided fuzz target for a while. Needs a nightly compiler and cargo-fuzz.
//!
//! Does not own: the targets; they are packages of their own beside the crate they test.

use std::process::{Command, ExitCode};

use crate::command::refuse;
use crate::reading::{Manifest, Tree, workspace_root};

const SECONDS_DEFAULT: &str = "600";

pub(crate) fn fuzz(arguments: &[String]) -> ExitCode {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let seconds = match arguments.as_slice() {
        [] => SECONDS_DEFAULT,
        ["--seconds", seconds] => seconds,
        [unknown, ..] => return refuse(&format!("fuzz does not know `{unknown}`")),
    };
    let tree = Tree::workspace();
    for manifest in tree.paths().filter(|path| path.ends_with("/fuzz/Cargo.toml")) {
        let text = tree.text(manifest).unwrap_or_default();
        let folder = manifest.trim_end_matches("/fuzz/Cargo.toml");
        for target in Manifest::parse(&text).all("bin", "name") {
            println!("fuzzing {folder} {target} for {seconds} s");
            // Not the cargo that runs us: only the proxy of rustup understands `+nightly`.
            let mut command = Command::new("cargo");
            command.args(["+nightly", "fuzz", "run", &target]);
            let folder_path = workspace_root().join(folder);
            let seeds = format!("fuzz/seeds/{target}");
            if folder_path.join(&seeds).is_dir() {
                // The first folder is where new inputs go: the committed ones stay as they are.
                let corpus = format!("fuzz/corpus/{target}");
                if let Err(error) = std::fs::create_dir_all(folder_path.join(&corpus)) {
                    eprintln!("{corpus} was not created: {error}");
                    return ExitCode::FAILURE;
                }
                command.args([&corpus, &seeds]);
            }
            command.arg("--").arg(format!("-max_total_time={seconds}"));
            let status = command.current_dir(folder_path).status();
            if !status.is_ok_and(|status| status.success()) {
                eprintln!("{target} failed; the input is in {folder}/fuzz/artifacts/{target}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
