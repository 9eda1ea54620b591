//! The steps of `cargo xtask test`, in order. To add one, add it to [`STEPS`]; nothing else has to change.
//!
//! Does not own: running them; see `runner.rs`. A step is a command that succeeds or fails. The checks on the tree are
//! no step: they are ordinary tests of this package, and so part of `tests`.

/// One command of the whole.
#[derive(Debug)]
pub(crate) struct Step {
    /// What `--only` takes.
    pub(crate) name: &'static str,
    /// Why it is run, for the heading.
    pub(crate) purpose: &'static str,
    /// The program and its arguments. `cargo` is the cargo that runs us.
    pub(crate) command: &'static [&'static str],
    /// Left out by `--quick`.
    pub(crate) slow: bool,
    /// The step is skipped, loudly, when one of these is missing.
    pub(crate) needs: &'static [Tool],
}

/// Something that may be missing on a machine.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// A command that succeeds when the tool is there.
    pub(crate) probe: &'static [&'static str],
    /// How to get it.
    pub(crate) get: &'static str,
}

const RUSTFMT: Tool = Tool {
    name: "rustfmt",
    probe: &["cargo", "fmt", "--version"],
    get: "rustup component add rustfmt",
};

const CLIPPY: Tool = Tool {
    name: "clippy",
    probe: &["cargo", "clippy", "--version"],
    get: "rustup component add clippy",
};

/// Everything that must hold before a merge, cheapest first.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "format",
        purpose: "all code is formatted",
        command: &["cargo", "fmt", "--all", "--", "--check"],
        slow: false,
        needs: &[RUSTFMT],
    },
    Step {
        name: "lints",
        purpose: "no lint has anything to say",
        command: &["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        slow: false,
        needs: &[CLIPPY],
    },
    // The binary has the feature `connect` of the client by default, so with the whole workspace the tests and lints of
    // connected accounts are among these two steps.
    Step {
        name: "tests",
        purpose: "all tests, examples in docs and checks on the tree pass",
        command: &["cargo", "test", "--workspace", "--no-fail-fast"],
        slow: false,
        needs: &[],
    },
    Step {
        name: "conformance",
        purpose: "the official client libraries see what they must see",
        command: &["cargo", "run", "--quiet", "--package", "xtask", "--", "conformance"],
        slow: true,
        needs: &[],
    },
    Step {
        name: "pages",
        purpose: "the pages of the systems work in a browser",
        command: &["cargo", "run", "--quiet", "--package", "xtask", "--", "pages"],
        slow: true,
        needs: &[],
    },
    Step {
        name: "release",
        purpose: "the binary builds as it ships",
        command: &["cargo", "build", "--release", "--package", "planisphere-server"],
        slow: true,
        needs: &[],
    },
    Step {
        name: "binary",
        purpose: "the binary starts and says what it is",
        command: &[
            "cargo",
            "run",
            "--release",
            "--package",
            "planisphere-server",
            "--bin",
            "planisphere",
            "--",
            "version",
        ],
        slow: true,
        needs: &[],
    },
    Step {
        name: "client-example",
        purpose: "the example of the client runs to its end",
        command: &["cargo", "run", "--package", "planisphere-server", "--example", "client"],
        slow: true,
        needs: &[],
    },
    Step {
        name: "example",
        purpose: "the embedded example runs to its end",
        command: &["cargo", "run", "--package", "planisphere-server", "--example", "embedded"],
        slow: true,
        needs: &[],
    },
];

impl Step {
    /// The command as a person would type it.
    pub(crate) fn printed(&self) -> String {
        self.command.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::STEPS;

    #[test]
    fn every_step_has_its_own_name_and_a_command() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
        assert!(STEPS.iter().all(|step| !step.command.is_empty()));
    }
}
