//! What a person sees without arguments: the commands, what they are for, and how to begin.

use std::process::ExitCode;

const HELP: &str = "\
Every command that a person or CI runs. Start with: cargo xtask test

  cargo xtask test             what CI runs: format, lints, all tests, docs, packages, client libraries, pages
    quick                        between two edits: format, lints, tests inside the crates; minutes
    nightly                      all of it, the release build, 1,000 simulation seeds and fuzzing; hours
    --only <step>                run one step
    --list                       list the steps with their tiers

  cargo xtask tidy             only the checks on the tree: docs, layers, lengths, names, words
    --update-ratchet             write the list of exceptions tighter; it refuses to write it looser

  cargo xtask conformance      run the official client libraries against our server; writes docs/COMPATIBILITY.md
    --only <library>             one of python, javascript, go, rust, java
    --full                       also the emulator tests that the Rust library ships
    --signalr                    instead, clients of SignalR against a hub; writes docs/SIGNALR_COMPATIBILITY.md
    --vault                      instead, clients of Vault against our vault; writes docs/VAULT_COMPATIBILITY.md

  cargo xtask pages [NAME...]  test the pages of the systems in a browser; screenshots go to target/pages

  cargo xtask examples         run the examples, each twice on the same folder
  cargo xtask packages         pack every published crate and fail on a warning
  cargo xtask features         check every crate without features and with each feature alone
    --libraries                  the binary only without features
  cargo xtask msrv             check the workspace with the oldest compiler it promises
  cargo xtask fuzz             run every fuzz target, 600 seconds each
    --seconds <number>           another duration

  cargo xtask attack           simulation, kill -9, damaged files, full disk, mutated requests; hours
    <step>                       one of them

  cargo xtask bench [args]     run the benchmarks in the profile `dist`; args are passed on unchanged
    queries                      the query language, with SQLite and PostgreSQL beside it
    gateway                      the server over HTTP, with a bare server, PostgreSQL and other emulators beside it

  cargo xtask help             this text

Between two edits:  cargo xtask test quick
Before a merge:     cargo xtask test
A finding of tidy says where, what, why and what to do; docs/STYLE.md has the reasons.
";

pub(crate) fn help() -> ExitCode {
    print!("{HELP}");
    ExitCode::SUCCESS
}

/// Prints what was not understood and where the list of commands is.
pub(crate) fn refuse(what: &str) -> ExitCode {
    eprintln!("{what}; `cargo xtask help` lists the commands");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::HELP;

    #[test]
    fn every_command_is_listed() {
        let commands = [
            "test",
            "tidy",
            "conformance",
            "pages",
            "examples",
            "packages",
            "features",
            "msrv",
            "fuzz",
            "attack",
            "bench",
            "help",
        ];
        for name in commands {
            assert!(HELP.contains(&format!("cargo xtask {name}")), "{name}");
        }
    }
}
