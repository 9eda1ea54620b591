//! What a person sees without arguments: the commands, what they are for, and how to begin.

use std::process::ExitCode;

const HELP: &str = "\
Every command that a person or CI runs. Start with: cargo xtask test

  cargo xtask test             everything: format, lints, all tests, release build, the example
    --quick                      leave out the release steps; seconds instead of minutes
    --only <step>                run one step
    --list                       list the steps

  cargo xtask tidy             only the checks on the tree: docs, layers, lengths, names, words
    --update-ratchet             write today's exceptions tighter; never looser

  cargo xtask conformance      the official client libraries against our server; writes docs/COMPATIBILITY.md
    --only <library>             one of python, javascript, go, rust, java
    --full                       also the emulator tests that the Rust library carries itself

  cargo xtask pages            the pages of the systems in a browser; screenshots go to target/pages

  cargo xtask bench [args]     the benchmarks, in release mode; args go to them unchanged
    queries                      those of the query language, with SQLite and PostgreSQL beside them
    gateway                      the server over HTTP, with a bare server and other emulators beside it

  cargo xtask help             this text

Before a change:  cargo xtask test --quick
Before a merge:   cargo xtask test
A finding of tidy says where, what, why and what to do; docs/STYLE.md has the reasons.
";

pub(crate) fn help() -> ExitCode {
    print!("{HELP}");
    ExitCode::SUCCESS
}

/// Says what was not understood and where the list of commands is.
pub(crate) fn refuse(what: &str) -> ExitCode {
    eprintln!("{what}; `cargo xtask help` lists what there is");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::HELP;

    #[test]
    fn every_command_is_taught() {
        for name in ["test", "tidy", "conformance", "pages", "bench", "help"] {
            assert!(HELP.contains(&format!("cargo xtask {name}")), "{name}");
        }
    }
}
