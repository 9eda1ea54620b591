//! Installs a missing package where that is possible: on Debian, as root.
//!
//! Does not own which packages are needed: see the steps of the tests and the pages.

use std::process::{Command, Stdio};

/// Installs a package. Returns whether it was installed.
pub(crate) fn install_package(name: &str) -> bool {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !is_root || !succeeds(&["apt-get", "--version"]) {
        return false;
    }
    println!("installing {name}");
    let install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", name];
    // The lists of packages are fetched only when the installation fails, because they are missing or old.
    succeeds(&install) || (succeeds(&["apt-get", "update", "-qq"]) && succeeds(&install))
}

/// Whether a command ends with success; its output is not shown.
pub(crate) fn succeeds(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
