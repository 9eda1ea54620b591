//! The steps of `cargo xtask test`, in order. To add one, add it to [`STEPS`]; nothing else has to change.
//!
//! Does not own: running them; see `runner.rs`. A step is a command that succeeds or fails. The checks on the tree are
//! not a step: they are ordinary tests of this package, and so part of `unit-tests` and `tests`.

use super::tools::{
    ADVISORY_DATABASE, CARGO_DENY, CARGO_FUZZ, CLIPPY, FUSE, JDK, NODE, POSTGRES, REDIS, RUSTFMT,
    RequiredTool,
};

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestTier {
    /// Between two edits: under three minutes when everything is compiled.
    Quick,
    /// Before a merge, and what CI runs: under 45 minutes from a clean clone.
    Default,
    /// What takes hours: many seeds, fuzzing, the shipped build.
    Nightly,
}

/// One command of the whole.
#[derive(Debug)]
pub(crate) struct TestStep {
    /// What `--only` takes.
    pub(crate) name: &'static str,
    /// Why it is run, for the heading.
    pub(crate) purpose: &'static str,
    /// The program and its arguments. `cargo` is the cargo that runs us.
    pub(crate) command: &'static [&'static str],
    /// Variables set for the command.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// The tiers that include it.
    pub(crate) tiers: &'static [TestTier],
    /// The step is skipped, loudly, when one of these is missing.
    pub(crate) needs: &'static [RequiredTool],
    /// A part of the step is skipped, loudly, when one of these is missing and cannot be installed.
    pub(crate) uses: &'static [RequiredTool],
}

const EVERY_TIER: &[TestTier] = &[TestTier::Quick, TestTier::Default, TestTier::Nightly];
const DEFAULT_AND_NIGHTLY: &[TestTier] = &[TestTier::Default, TestTier::Nightly];
const QUICK_ONLY: &[TestTier] = &[TestTier::Quick];
const DEFAULT_ONLY: &[TestTier] = &[TestTier::Default];
const NIGHTLY_ONLY: &[TestTier] = &[TestTier::Nightly];

/// The feature that gives the binary every command. Without it, the binary has only the database.
pub(crate) const FULL: &str = "planisphere-server/full";

const XTASK: [&str; 6] = ["cargo", "run", "--quiet", "--package", "xtask", "--"];

/// Everything that must hold before a merge, cheapest first; then what only the nightly run does.
pub(crate) const STEPS: &[TestStep] = &[
    TestStep {
        name: "format",
        purpose: "all code is formatted",
        command: &["cargo", "fmt", "--all", "--", "--check"],
        environment: &[],
        tiers: EVERY_TIER,
        needs: &[RUSTFMT],
        uses: &[],
    },
    TestStep {
        name: "lints",
        purpose: "clippy has nothing to report",
        command: &[
            "cargo",
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            FULL,
            "--",
            "-D",
            "warnings",
        ],
        environment: &[],
        tiers: EVERY_TIER,
        needs: &[CLIPPY],
        uses: &[],
    },
    TestStep {
        name: "unit-tests",
        purpose: "the tests inside the crates and the checks on the tree pass",
        command: &["cargo", "test", "--workspace", "--features", FULL, "--lib", "--bins"],
        environment: &[],
        tiers: QUICK_ONLY,
        needs: &[],
        uses: &[],
    },
    // Every step that compiles the workspace enables all features, so that they share what is compiled.
    TestStep {
        name: "tests",
        purpose: "all tests, examples in docs and checks on the tree pass",
        command: &["cargo", "test", "--workspace", "--features", FULL, "--no-fail-fast"],
        environment: &[],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[],
        uses: &[POSTGRES, REDIS],
    },
    TestStep {
        name: "docs",
        purpose: "the documentation builds without a warning",
        command: &["cargo", "doc", "--workspace", "--features", FULL, "--no-deps"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "packages",
        purpose: "every published crate packs without a warning",
        command: &[XTASK[0], XTASK[1], XTASK[2], XTASK[3], XTASK[4], XTASK[5], "packages"],
        environment: &[],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "library-features",
        purpose: "every library compiles without features and with each feature alone",
        command: &[
            XTASK[0],
            XTASK[1],
            XTASK[2],
            XTASK[3],
            XTASK[4],
            XTASK[5],
            "features",
            "--libraries",
        ],
        environment: &[],
        tiers: DEFAULT_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "features",
        purpose: "every crate compiles without features and with each feature alone",
        command: &[XTASK[0], XTASK[1], XTASK[2], XTASK[3], XTASK[4], XTASK[5], "features"],
        environment: &[],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "msrv",
        purpose: "the workspace compiles with the oldest compiler it promises",
        command: &[XTASK[0], XTASK[1], XTASK[2], XTASK[3], XTASK[4], XTASK[5], "msrv"],
        environment: &[],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "deny",
        purpose: "licences, sources and duplicates of dependencies are those of deny.toml",
        command: &["cargo", "deny", "--offline", "check", "bans", "licenses", "sources"],
        environment: &[],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[CARGO_DENY],
        uses: &[],
    },
    TestStep {
        name: "advisories",
        purpose: "no dependency has a known vulnerability",
        command: &["cargo", "deny", "--offline", "check", "advisories"],
        environment: &[],
        tiers: NIGHTLY_ONLY,
        needs: &[CARGO_DENY, ADVISORY_DATABASE],
        uses: &[],
    },
    TestStep {
        name: "conformance",
        purpose: "the official client libraries see what they must see",
        command: &[XTASK[0], XTASK[1], XTASK[2], XTASK[3], XTASK[4], XTASK[5], "conformance"],
        environment: &[],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "pages",
        purpose: "the pages of the systems work in a browser",
        command: &[XTASK[0], XTASK[1], XTASK[2], XTASK[3], XTASK[4], XTASK[5], "pages"],
        environment: &[],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "examples",
        purpose: "the examples run to their end, also a second time on the same folder",
        command: &[XTASK[0], XTASK[1], XTASK[2], XTASK[3], XTASK[4], XTASK[5], "examples"],
        environment: &[],
        tiers: DEFAULT_AND_NIGHTLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "chat-redis",
        purpose: "all tests of the chat once more, with ephemeral state in a real Redis",
        command: &["cargo", "test", "--quiet", "--package", "planisphere-chat"],
        environment: &[("CHAT_TESTS_REDIS", "1")],
        tiers: NIGHTLY_ONLY,
        needs: &[REDIS],
        uses: &[],
    },
    TestStep {
        name: "signalr-clients",
        purpose: "the official clients of SignalR see in a hub what they must see",
        command: &[
            XTASK[0],
            XTASK[1],
            XTASK[2],
            XTASK[3],
            XTASK[4],
            XTASK[5],
            "conformance",
            "--signalr",
        ],
        environment: &[],
        tiers: NIGHTLY_ONLY,
        needs: &[NODE, JDK],
        uses: &[],
    },
    TestStep {
        name: "vault-clients",
        purpose: "clients of Vault see in our vault what they must see",
        command: &[
            XTASK[0],
            XTASK[1],
            XTASK[2],
            XTASK[3],
            XTASK[4],
            XTASK[5],
            "conformance",
            "--vault",
        ],
        environment: &[],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "release",
        purpose: "the release binary builds, starts and prints its version",
        command: &["cargo", "run", "--release", "--", "version"],
        environment: &[],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "simulation",
        purpose: "1,000 seeds of the simulation, and long runs of the other seeded tests of the engine",
        command: &["cargo", "test", "--release", "--package", "planisphere-engine", "--test", "it"],
        environment: &[
            ("SIMULATION_SEEDS", "1000"),
            ("DIFFERENTIAL_QUERIES", "200000"),
            ("MODEL_CASES", "2000"),
        ],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "crash",
        purpose: "500 rounds of writing, SIGSTOP and kill -9 lose no acknowledged write",
        command: &[
            "cargo",
            "test",
            "--release",
            "--package",
            "planisphere-server",
            "--features",
            FULL,
            "--test",
            "it",
            "crash",
        ],
        environment: &[("CRASH_ROUNDS", "500")],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "linearizability",
        purpose: "300 rounds of clients over HTTP with faults are explained by one order of their operations",
        command: &[
            "cargo",
            "test",
            "--release",
            "--package",
            "planisphere-server",
            "--features",
            FULL,
            "--test",
            "it",
            "linearizability",
        ],
        environment: &[("LINEARIZABILITY_ROUNDS", "300"), ("SHARED_STORE_ROUNDS", "200")],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[POSTGRES],
    },
    TestStep {
        name: "file-damage",
        purpose: "every file of a store deleted, cut, zeroed, changed and replaced; a full disk",
        command: &[
            "cargo",
            "test",
            "--release",
            "--package",
            "planisphere-storage-lsm",
            "--test",
            "it",
            "--",
            "damaged_files",
            "sealed_journals",
            "full_disk",
        ],
        environment: &[("SEALED_JOURNAL_DAMAGES", "all")],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "power-loss",
        purpose: "200 power cuts and failed syncs lose no acknowledged write",
        command: &[
            "cargo",
            "test",
            "--release",
            "--package",
            "planisphere-storage-lsm",
            "--test",
            "it",
            "power_loss",
        ],
        environment: &[("POWER_CUTS", "200")],
        tiers: NIGHTLY_ONLY,
        needs: &[FUSE],
        uses: &[],
    },
    TestStep {
        name: "gateway-fuzz",
        purpose: "a million mutated requests are answered without a panic",
        command: &[
            "cargo",
            "test",
            "--release",
            "--package",
            "planisphere-gateway",
            "--test",
            "it",
            "fuzz",
        ],
        environment: &[("GATEWAY_FUZZ_REQUESTS", "1000000")],
        tiers: NIGHTLY_ONLY,
        needs: &[],
        uses: &[],
    },
    TestStep {
        name: "fuzz",
        purpose: "ten minutes of coverage-guided fuzzing per target find nothing",
        command: &[XTASK[0], XTASK[1], XTASK[2], XTASK[3], XTASK[4], XTASK[5], "fuzz"],
        environment: &[],
        tiers: NIGHTLY_ONLY,
        needs: &[CARGO_FUZZ],
        uses: &[],
    },
];

/// The steps that attack a store or a server and compare what is left with what was acknowledged.
pub(crate) const ATTACKS: &[&str] = &[
    "simulation",
    "crash",
    "linearizability",
    "file-damage",
    "power-loss",
    "gateway-fuzz",
    "fuzz",
];

impl TestStep {
    /// The command as a person would type it.
    pub(crate) fn printed(&self) -> String {
        let variables = self.environment.iter().map(|(name, value)| format!("{name}='{value}' "));
        variables.collect::<String>() + &self.command.join(" ")
    }

    /// Whether the tier includes this step.
    pub(crate) fn is_in(&self, tier: TestTier) -> bool {
        self.tiers.contains(&tier)
    }
}

#[cfg(test)]
mod tests {
    use super::{ATTACKS, STEPS};

    #[test]
    fn every_attack_is_a_step_of_the_nightly_run() {
        for name in ATTACKS {
            let step = STEPS.iter().find(|step| step.name == *name).unwrap();
            assert!(step.is_in(super::TestTier::Nightly), "{name}");
        }
    }

    #[test]
    fn every_step_has_its_own_name_a_command_and_a_tier() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
        assert!(STEPS.iter().all(|step| !step.command.is_empty() && !step.tiers.is_empty()));
    }
}
