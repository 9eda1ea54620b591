//! Commands of runners: filled with folders, run, and their output taken.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::library::Library;
use crate::reading::workspace_root;

/// Where build output goes.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace_root().join("target"), PathBuf::from)
}

/// Where the runner of a library is made ready.
pub(crate) fn work_folder(library: &Library) -> PathBuf {
    target_folder().join("conformance").join(library.name)
}

fn filled(library: &Library, words: &[&str]) -> Vec<String> {
    let tools = work_folder(library).display().to_string();
    let runner =
        workspace_root().join("conformance/runners").join(library.name).display().to_string();
    let fill = |word: &&str| word.replace("{tools}", &tools).replace("{runner}", &runner);
    words.iter().map(fill).collect()
}

fn command(words: &[String]) -> Command {
    let (program, arguments) = words
        .split_first()
        .map_or((String::new(), Vec::new()), |(first, rest)| (first.clone(), rest.to_vec()));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(workspace_root()).stdin(Stdio::null());
    command
}

/// Whether the toolchain of a library is on this machine.
pub(crate) fn is_installed(library: &Library) -> bool {
    let mut probe = command(&filled(library, library.probe));
    probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Makes the runner of a library ready.
pub(crate) fn prepare(library: &Library) -> Result<(), String> {
    for words in library.prepare {
        let words = filled(library, words);
        let status = command(&words).status();
        if !status.as_ref().is_ok_and(std::process::ExitStatus::success) {
            return Err(format!("`{}` failed ({status:?})", words.join(" ")));
        }
    }
    Ok(())
}

/// Runs a command of a library to its end and gives what it printed.
pub(crate) fn run(
    library: &Library,
    words: &[&str],
    more: &[&str],
    environment: &[(&str, &str)],
) -> Result<String, String> {
    let mut words = filled(library, words);
    words.extend(more.iter().map(|word| (*word).to_owned()));
    let output = command(&words).envs(environment.iter().copied()).output();
    let output = output.map_err(|error| format!("`{}`: {error}", words.join(" ")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` ended with {}: {said}", words.join(" "), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
