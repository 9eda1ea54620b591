//! The task runner: every command that a person or CI runs.
//!
//! Owns: the commands that `help` lists, and the checks that keep the tree readable.
//! Does not own: product code. It depends on nothing of ours and on no third party, so it builds in seconds.
//!
//! The flow: `main.rs` gives the arguments to [`run`], which picks a file in `command/`. `command/test.rs` runs the
//! steps listed in `test/steps.rs`. `command/tidy.rs` runs the checks listed in `tidy/checks.rs`; the same checks are
//! ordinary tests of this package, so `cargo test` and `cargo xtask tidy` can never disagree.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

mod command;
mod conformance;
mod debian_package;
mod finding;
mod ratchet;
mod reading;
mod test;
mod tidy;

use std::process::ExitCode;

/// Runs the command named by the first argument with the rest as its own arguments.
#[must_use]
pub fn run(arguments: &[String]) -> ExitCode {
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("help", arguments),
    };
    match name {
        "help" | "--help" | "-h" => command::help(),
        "test" => command::test(rest),
        "tidy" => command::tidy(rest),
        "conformance" => command::conformance(rest),
        "attack" => command::attack(rest),
        "bench" => command::bench(rest),
        "pages" => command::pages(rest),
        "examples" => command::examples(rest),
        "packages" => command::packages(rest),
        "features" => command::features(rest),
        "msrv" => command::msrv(rest),
        "fuzz" => command::fuzz(rest),
        unknown => command::refuse(&format!("there is no command `{unknown}`")),
    }
}
