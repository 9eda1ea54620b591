//! The tools that steps of `cargo xtask test` need or use, with how to get each.
//!
//! Does not own looking for them: see `runner.rs`.

/// Something that may be missing on a machine.
#[derive(Debug)]
pub(crate) struct RequiredTool {
    pub(crate) name: &'static str,
    /// A command that succeeds when the tool is installed.
    pub(crate) probe: &'static [&'static str],
    /// How to get it.
    pub(crate) get: &'static str,
    /// The Debian package that has it, if the tests may install it.
    pub(crate) package: Option<&'static str>,
}

pub(super) const RUSTFMT: RequiredTool = RequiredTool {
    name: "rustfmt",
    probe: &["cargo", "fmt", "--version"],
    get: "rustup component add rustfmt",
    package: None,
};

pub(super) const CLIPPY: RequiredTool = RequiredTool {
    name: "clippy",
    probe: &["cargo", "clippy", "--version"],
    get: "rustup component add clippy",
    package: None,
};

pub(super) const CARGO_DENY: RequiredTool = RequiredTool {
    name: "cargo-deny",
    probe: &["cargo", "deny", "--version"],
    get: "cargo install --locked cargo-deny",
    package: None,
};

pub(super) const ADVISORY_DATABASE: RequiredTool = RequiredTool {
    name: "the RustSec advisory database",
    probe: &["cargo", "deny", "fetch", "db"],
    get: "a network that reaches its repository",
    package: None,
};

pub(super) const CARGO_FUZZ: RequiredTool = RequiredTool {
    name: "cargo-fuzz with a nightly compiler",
    probe: &["cargo", "+nightly", "fuzz", "--version"],
    get: "rustup toolchain install nightly && cargo install --locked cargo-fuzz",
    package: None,
};

pub(super) const FUSE: RequiredTool = RequiredTool {
    name: "FUSE",
    probe: &["test", "-c", "/dev/fuse"],
    get: "modprobe fuse && apt-get install fuse3 (Linux only)",
    package: None,
};

pub(super) const NODE: RequiredTool = RequiredTool {
    name: "Node.js",
    probe: &["sh", "-c", "node --version && npm --version"],
    get: "Node.js 20 or newer: the packages nodejs and npm",
    package: None,
};

pub(super) const JDK: RequiredTool = RequiredTool {
    name: "a JDK with Maven",
    probe: &["sh", "-c", "javac -version && mvn --version"],
    get: "a JDK, 17 or newer, and Maven: the packages default-jdk-headless and maven",
    package: None,
};

pub(super) const REDIS: RequiredTool = RequiredTool {
    name: "redis-server",
    probe: &["redis-server", "--version"],
    get: "apt-get install redis-server",
    package: Some("redis-server"),
};

/// Where Debian keeps the programs, which are not on the path.
pub(super) const POSTGRES: RequiredTool = RequiredTool {
    name: "PostgreSQL",
    probe: &["sh", "-c", "ls /usr/lib/postgresql/*/bin/postgres || postgres --version"],
    get: "apt-get install postgresql",
    package: Some("postgresql"),
};
