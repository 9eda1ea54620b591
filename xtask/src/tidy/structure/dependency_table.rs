//! Check 3: who may depend on whom among our own crates. The table is the architecture; the build fails outside it.
//!
//! Two leaves know nothing of each other: `model` is meaning without bytes, `storage` is bytes without meaning.
//! `engine` is where they meet. A crate that is not in the table may not exist yet: add its line, with its decision
//! record.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{Dependency, DependencyKind, Tree, WorkspacePackage, packages};

const RULE: &str = "dependency-table";

/// What a package may depend on.
enum AllowedCrates {
    /// Only these crates of the workspace.
    Only(&'static [&'static str]),
    /// Every crate of the workspace but the task runner.
    Everything,
}

/// One row of the table.
struct CrateRule {
    /// Package name, or a folder followed by `/*` for all packages in it.
    package: &'static str,
    may_use: AllowedCrates,
    /// What its tests may use in addition.
    tests_may_use: &'static [&'static str],
}

const fn crate_rule(package: &'static str, may_use: &'static [&'static str]) -> CrateRule {
    CrateRule { package, may_use: AllowedCrates::Only(may_use), tests_may_use: &[] }
}

const fn unrestricted(package: &'static str) -> CrateRule {
    CrateRule { package, may_use: AllowedCrates::Everything, tests_may_use: &[] }
}

const TABLE: &[CrateRule] = &[
    CrateRule {
        package: "model",
        may_use: AllowedCrates::Only(&[]),
        tests_may_use: &["fuzz-seeds"],
    },
    crate_rule("query", &["model"]),
    crate_rule("interleaving", &[]),
    crate_rule("fuzz-seeds", &[]),
    CrateRule {
        package: "storage",
        may_use: AllowedCrates::Only(&[]),
        tests_may_use: &["interleaving"],
    },
    CrateRule {
        package: "storage-lsm",
        may_use: AllowedCrates::Only(&["storage"]),
        tests_may_use: &["fuzz-seeds", "interleaving"],
    },
    CrateRule {
        package: "storage-postgres",
        may_use: AllowedCrates::Only(&["storage"]),
        tests_may_use: &["scratch-postgres"],
    },
    crate_rule("scratch-postgres", &[]),
    CrateRule {
        package: "engine",
        may_use: AllowedCrates::Only(&["model", "query", "storage"]),
        tests_may_use: &["fuzz-seeds", "interleaving", "storage-lsm"],
    },
    CrateRule {
        package: "javascript",
        may_use: AllowedCrates::Only(&["engine", "model"]),
        tests_may_use: &["fuzz-seeds", "storage"],
    },
    crate_rule("planisphere", &["client", "engine", "javascript", "model", "storage-lsm"]),
    crate_rule("jwks", &[]),
    crate_rule("signalr", &[]),
    crate_rule("ui-kit", &[]),
    crate_rule("explorer", &["ui-kit"]),
    CrateRule {
        package: "gateway",
        may_use: AllowedCrates::Only(&["engine", "jwks", "model", "ui-kit"]),
        tests_may_use: &["fuzz-seeds", "javascript", "storage"],
    },
    CrateRule {
        package: "client",
        may_use: AllowedCrates::Only(&["engine", "model", "storage-lsm", "storage-postgres"]),
        tests_may_use: &["gateway", "storage"],
    },
    CrateRule {
        package: "service",
        may_use: AllowedCrates::Only(&["client", "jwks", "model", "ui-kit"]),
        tests_may_use: &["fuzz-seeds"],
    },
    CrateRule {
        package: "systems/*",
        may_use: AllowedCrates::Only(&["client", "model", "service", "signalr"]),
        // Their scenarios also run against a server of ours, and on engines with settings of their own.
        tests_may_use: &["engine", "gateway", "scratch-postgres", "storage"],
    },
    unrestricted("app"),
    unrestricted("benchmarks"),
    crate_rule("xtask", &[]),
];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let packages = packages(tree);
    for package in &packages {
        let manifest = format!("{}/Cargo.toml", package.folder);
        let Some(row) = TABLE.iter().find(|row| row.concerns(package)) else {
            let message = TidyMessage::new(
                format!("the package `{}` is not in the dependency table", package.name),
                "a new crate needs a decision",
                "add its row to xtask/src/tidy/structure/dependency_table.rs and its decision record",
            );
            report.find(&manifest, 1, RULE, message);
            continue;
        };
        for dependency in package.manifest.dependencies() {
            let ours = packages.iter().any(|other| other.name == dependency.package);
            if ours && !row.allows(&dependency) {
                let message = TidyMessage::new(
                    format!("`{}` may not depend on `{}`", package.name, dependency.package),
                    "layers erode silently",
                    "move the code to where the table allows it, or change the table by a decision",
                );
                report.find(&manifest, dependency.line, RULE, message);
            }
        }
    }
}

impl CrateRule {
    fn concerns(&self, package: &WorkspacePackage) -> bool {
        match self.package.strip_suffix('*') {
            Some(folder) => package.folder.starts_with(folder),
            None => self.package == package.name,
        }
    }

    fn allows(&self, dependency: &Dependency) -> bool {
        let name = dependency.package.as_str();
        let in_tests = dependency.kind == DependencyKind::Development;
        match self.may_use {
            AllowedCrates::Everything => name != "xtask",
            AllowedCrates::Only(names) => {
                names.contains(&name) || (in_tests && self.tests_may_use.contains(&name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    fn manifest(name: &str, rest: &str) -> String {
        format!("[package]\nname = \"{name}\"\n{rest}")
    }

    #[test]
    fn an_edge_outside_the_table_is_found() {
        let members = ["crates/*", "systems/*", "app", "xtask"].map(|m| format!("\"{m}\""));
        let root = format!("[workspace]\nmembers = [{}]\n", members.join(", "));
        let engine = "[dependencies]\nmodel.workspace = true\nstorage-lsm.workspace = true\n";
        let lsm = "[dependencies]\nstorage.workspace = true\n[dev-dependencies]\nmodel = \"1\"\n";
        let chat = "[dependencies]\nengine.workspace = true\n";
        let app = "[dependencies]\nengine.workspace = true\nstorage-lsm.workspace = true\n";
        let tree = Fixture::new("dependencies")
            .file("Cargo.toml", &root)
            .file("crates/model/Cargo.toml", &manifest("model", ""))
            .file("crates/storage/Cargo.toml", &manifest("storage", ""))
            .file("crates/storage-lsm/Cargo.toml", &manifest("storage-lsm", lsm))
            .file("crates/engine/Cargo.toml", &manifest("engine", engine))
            .file("crates/surprise/Cargo.toml", &manifest("surprise", ""))
            .file("systems/chat/Cargo.toml", &manifest("chat", chat))
            .file("app/Cargo.toml", &manifest("app", app))
            .file("xtask/Cargo.toml", &manifest("xtask", "[dependencies]\nmodel = \"1\"\n"))
            .open();
        let rule = "dependency-table";
        let expected = [
            format!("crates/engine/Cargo.toml:5: {rule}: `engine` may not depend on `storage-lsm`"),
            format!(
                "crates/storage-lsm/Cargo.toml:6: {rule}: `storage-lsm` may not depend on `model`"
            ),
            format!(
                "crates/surprise/Cargo.toml:1: {rule}: \
                 the package `surprise` is not in the dependency table"
            ),
            format!("systems/chat/Cargo.toml:4: {rule}: `chat` may not depend on `engine`"),
            format!("xtask/Cargo.toml:4: {rule}: `xtask` may not depend on `model`"),
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn tests_of_the_engine_may_use_the_lsm_backend() {
        let tests = "[dev-dependencies]\nstorage-lsm.workspace = true\n";
        let tree = Fixture::new("dependencies-tests")
            .file("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n")
            .file("crates/engine/Cargo.toml", &manifest("engine", tests))
            .file("crates/storage-lsm/Cargo.toml", &manifest("storage-lsm", ""))
            .open();
        assert_eq!(found(&tree, check), Vec::<String>::new());
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
