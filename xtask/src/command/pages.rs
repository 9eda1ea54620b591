//! `pages`: the pages of the systems in a real browser, as people use them.
//!
//! Owns getting the browser and its driver ready, and saying loudly when they are missing. Does not own what is tested:
//! each folder has its `page_tests/run.mjs`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::command::refuse;
use crate::conformance::{ServerProcess, target_folder};
use crate::debian_package::{install_package, succeeds};
use crate::reading::workspace_root;

/// What has pages: a name, and the folder with its `page_tests`.
const PAGES: &[(&str, &str)] = &[
    ("kit", "crates/ui-kit"),
    ("chat", "systems/chat"),
    ("notifications", "systems/notifications"),
    ("secret-migration", "systems/secret-migration"),
    ("event-store", "systems/event-store"),
    ("worlds", "systems/worlds"),
    ("explorer", "explorer"),
];
/// Modules that the tests of several pages use; copied beside each of them.
const SHARED: &str = "crates/ui-kit/page_tests/shared";
const CHROMIUM: &str = "/usr/bin/chromium";

pub(crate) fn pages(arguments: &[String]) -> ExitCode {
    let is_known = |asked: &&String| PAGES.iter().any(|(name, _)| name == asked);
    if let Some(unknown) = arguments.iter().find(|asked| !is_known(asked)) {
        return refuse(&format!("pages does not know `{unknown}`"));
    }
    if let Some(missing) = missing() {
        println!("SKIPPED pages: {missing}");
        return ExitCode::SUCCESS;
    }
    let mut failed = false;
    let asked = |name: &str| arguments.is_empty() || arguments.iter().any(|one| one == name);
    for (name, folder) in PAGES.iter().filter(|(name, _)| asked(name)) {
        if let Err(reason) = run(name, folder) {
            eprintln!("{name}: {reason}");
            failed = true;
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The tool that is missing and cannot be installed, if any.
fn missing() -> Option<String> {
    if !succeeds(&["npm", "--version"]) {
        return Some("npm is missing; get Node.js 20 or newer, https://nodejs.org/".to_owned());
    }
    if Path::new(CHROMIUM).exists() || install_package("chromium") {
        return None;
    }
    Some(format!("there is no {CHROMIUM}; get it with `apt-get install chromium`"))
}

/// Runs the tests of some pages, in a copy of their folder beside the build output.
fn run(name: &str, folder: &str) -> Result<(), String> {
    ServerProcess::build()?;
    let tests = workspace_root().join(folder).join("page_tests");
    let work = target_folder().join("pages").join(name);
    copy(&tests, &work)?;
    copy(&workspace_root().join(SHARED), &work)?;
    let folder = work.display().to_string();
    step(Command::new("npm").args([
        "ci",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--prefix",
        &folder,
    ]))?;
    step(
        Command::new("node")
            .arg(work.join("run.mjs"))
            .env("PLANISPHERE", target_folder().join("debug/planisphere"))
            .env("CHROMIUM", CHROMIUM)
            .env("ARTEFACTS", work.join("artefacts")),
    )
}

fn step(command: &mut Command) -> Result<(), String> {
    let status = command.stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        ended => Err(format!("{command:?} failed ({ended:?})")),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let describe = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(to).map_err(|error| describe(to, error))?;
    for entry in std::fs::read_dir(from).map_err(|error| describe(from, error))? {
        let path: PathBuf = entry.map_err(|error| describe(from, error))?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            std::fs::copy(&path, to.join(name)).map_err(|error| describe(&path, error))?;
        }
    }
    Ok(())
}
