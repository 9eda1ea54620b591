//! A minimal parser for Cargo manifests: sections, keys and raw values.
//!
//! Does not own: which dependency is allowed; see `tidy/structure/dependency_table.rs`.

use super::tree::Tree;

/// A manifest as a flat list of entries.
#[derive(Debug)]
pub(crate) struct Manifest {
    entries: Vec<ManifestEntry>,
}

#[derive(Debug)]
struct ManifestEntry {
    section: String,
    key: String,
    value: String,
    line: usize,
}

/// When a dependency is compiled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    Normal,
    Development,
    Build,
}

/// One dependency of a package, by the name of the package it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) package: String,
    pub(crate) kind: DependencyKind,
    pub(crate) line: usize,
}

/// A member of the workspace.
#[derive(Debug)]
pub(crate) struct WorkspacePackage {
    /// The last part of its folder, by which other members depend on it. The published name starts
    /// with `planisphere-`.
    pub(crate) name: String,
    /// Folder from the root, without a closing slash.
    pub(crate) folder: String,
    pub(crate) manifest: Manifest,
}

/// The members of the workspace in `tree`, in the order of the root manifest.
pub(crate) fn packages(tree: &Tree) -> Vec<WorkspacePackage> {
    let Some(root) = tree.text("Cargo.toml") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for member in Manifest::parse(&root).strings("workspace", "members") {
        for folder in member_folders(tree, &member) {
            let Some(text) = tree.text(&format!("{folder}/Cargo.toml")) else {
                continue;
            };
            let manifest = Manifest::parse(&text);
            let name = folder.rsplit('/').next().unwrap_or(&folder).to_owned();
            found.push(WorkspacePackage { name, folder, manifest });
        }
    }
    found
}

fn member_folders(tree: &Tree, member: &str) -> Vec<String> {
    let Some(parent) = member.strip_suffix("/*") else {
        return vec![member.to_owned()];
    };
    let inside = |path: &str| {
        let rest = path.strip_prefix(parent)?.strip_prefix('/')?;
        let folder = rest.strip_suffix("/Cargo.toml")?;
        (!folder.contains('/')).then(|| format!("{parent}/{folder}"))
    };
    tree.paths().filter_map(inside).collect()
}

impl Manifest {
    pub(crate) fn parse(text: &str) -> Self {
        let mut entries: Vec<ManifestEntry> = Vec::new();
        let mut section = String::new();
        // An array or inline table may go on over several lines; its lines are joined to one value, under the line of
        // its key.
        let mut open = false;
        for (index, line) in text.lines().enumerate() {
            let line = without_comment(line).trim();
            if open {
                if let Some(entry) = entries.last_mut() {
                    entry.value.push_str(line);
                    open = !is_balanced(&entry.value);
                }
            } else if let Some(name) = line.strip_prefix('[') {
                section = name.trim_start_matches('[').trim_end_matches(']').trim().to_owned();
            } else if let Some((key, value)) = line.split_once('=') {
                let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
                open = !is_balanced(&value);
                entries.push(ManifestEntry {
                    section: section.clone(),
                    key,
                    value,
                    line: index + 1,
                });
            }
        }
        Self { entries }
    }

    /// The text of a value that is one string.
    pub(crate) fn string(&self, section: &str, key: &str) -> Option<String> {
        self.strings(section, key).into_iter().next()
    }

    /// The texts of a value that is an array of strings.
    pub(crate) fn strings(&self, section: &str, key: &str) -> Vec<String> {
        let wanted = |entry: &&ManifestEntry| entry.section == section && entry.key == key;
        self.entries.iter().find(wanted).map_or_else(Vec::new, |entry| quoted(&entry.value))
    }

    /// The keys of a section, in order.
    pub(crate) fn keys(&self, section: &str) -> Vec<String> {
        let inside = self.entries.iter().filter(|entry| entry.section == section);
        inside.map(|entry| entry.key.clone()).collect()
    }

    /// A value as it is written.
    pub(crate) fn value(&self, section: &str, key: &str) -> Option<&str> {
        let wanted = |entry: &&ManifestEntry| entry.section == section && entry.key == key;
        self.entries.iter().find(wanted).map(|entry| entry.value.as_str())
    }

    /// The strings that all `[[section]]` blocks give to a key.
    pub(crate) fn all(&self, section: &str, key: &str) -> Vec<String> {
        let wanted = |entry: &&ManifestEntry| entry.section == section && entry.key == key;
        self.entries.iter().filter(wanted).flat_map(|entry| quoted(&entry.value)).collect()
    }

    /// How many `[[section]]` blocks there are, counted by one key that each of them has.
    pub(crate) fn count(&self, section: &str, key: &str) -> usize {
        self.entries.iter().filter(|entry| entry.section == section && entry.key == key).count()
    }

    /// Dependencies of all kinds and all targets.
    pub(crate) fn dependencies(&self) -> Vec<Dependency> {
        let mut found: Vec<Dependency> = Vec::new();
        for entry in &self.entries {
            let Some((kind, inner)) = dependency_section(&entry.section) else {
                continue;
            };
            // Three ways to write one dependency: `name.workspace = true`, `name = { .. }` and a section
            // `[dependencies.name]`, whose keys are not names but settings.
            let dotted = entry.key.split('.').next().unwrap_or(&entry.key);
            let alias = inner.unwrap_or(dotted).trim_matches('"');
            let renamed = if inner.is_some() && entry.key == "package" {
                quoted(&entry.value).into_iter().next()
            } else {
                inline_string(&entry.value, "package")
            };
            let package = renamed.unwrap_or_else(|| alias.to_owned());
            let dependency = Dependency { package, kind, line: entry.line };
            let same = |known: &Dependency| {
                known.package == dependency.package && known.kind == dependency.kind
            };
            // A section about one dependency has an entry per setting; they are one dependency.
            if !found.iter().any(same) {
                found.push(dependency);
            }
        }
        found
    }

    /// Names and lines of the shared dependencies that do not live in this repository.
    pub(crate) fn third_party(&self) -> Vec<(String, usize)> {
        let shared = self.entries.iter().filter(|entry| entry.section == "workspace.dependencies");
        let foreign = shared.filter(|entry| inline_string(&entry.value, "path").is_none());
        foreign.map(|entry| (entry.key.clone(), entry.line)).collect()
    }
}

/// The kind of a section of dependencies, and the package when the section is about one alone.
fn dependency_section(section: &str) -> Option<(DependencyKind, Option<&str>)> {
    let kinds = [
        // The plain word comes last: it also ends the other two, and `ends_with` below would take them for it.
        ("dev-dependencies", DependencyKind::Development),
        ("build-dependencies", DependencyKind::Build),
        ("dependencies", DependencyKind::Normal),
    ];
    // These are versions to choose from; nothing depends on them by being listed.
    if section.starts_with("workspace.") {
        return None;
    }
    for (word, kind) in kinds {
        if section == word || (section.starts_with("target.") && section.ends_with(word)) {
            return Some((kind, None));
        }
        if let Some(inner) = section.strip_prefix(word).and_then(|rest| rest.strip_prefix('.')) {
            return Some((kind, Some(inner)));
        }
    }
    None
}

fn without_comment(line: &str) -> &str {
    let mut in_string = false;
    for (at, char) in line.char_indices() {
        match char {
            '"' => in_string = !in_string,
            '#' if !in_string => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

// Brackets inside strings count, too: a string with an unpaired one would swallow the lines after it.
fn is_balanced(value: &str) -> bool {
    let count = |wanted: &[char]| value.chars().filter(|char| wanted.contains(char)).count();
    count(&['[', '{']) <= count(&[']', '}'])
}

// Every second part between quotes is inside a string; an escaped quote would be taken for an end.
fn quoted(value: &str) -> Vec<String> {
    value.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The string given to `key` inside an inline table.
fn inline_string(value: &str, key: &str) -> Option<String> {
    let table = value.strip_prefix('{')?;
    for part in table.split([',', '{']) {
        let Some((name, value)) = part.split_once('=') else {
            continue;
        };
        if name.trim() == key {
            return quoted(value).into_iter().next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{DependencyKind, Manifest, packages};
    use crate::reading::fixture::Fixture;

    const TEXT: &str = r#"
[package]
name = "engine" # ours
[dependencies]
model.workspace = true
tokio = { workspace = true, features = [
    "rt",
] }
words = { package = "query", path = "../query" }
[dev-dependencies]
storage-lsm.workspace = true
[target.'cfg(unix)'.dependencies]
libc = "0.2"
[dependencies.storage]
workspace = true
"#;

    #[test]
    fn dependencies_are_found_in_every_form() {
        let manifest = Manifest::parse(TEXT);
        let all = manifest.dependencies();
        let names: Vec<_> = all.iter().map(|found| found.package.as_str()).collect();
        assert_eq!(names, ["model", "tokio", "query", "storage-lsm", "libc", "storage"]);
        let development = all.iter().find(|found| found.package == "storage-lsm");
        assert_eq!(development.map(|found| found.kind), Some(DependencyKind::Development));
        assert_eq!(manifest.string("package", "name").as_deref(), Some("engine"));
    }

    #[test]
    fn shared_dependencies_without_a_path_are_third_party() {
        let text = "[workspace.dependencies]\nmodel = { path = \"crates/model\" }\nbytes = \"1\"\n";
        assert_eq!(Manifest::parse(text).third_party(), [("bytes".to_owned(), 3)]);
    }

    #[test]
    fn members_may_be_named_or_globbed() {
        let tree = Fixture::new("members")
            .file("Cargo.toml", "[workspace]\nmembers = [\n  \"app\",\n  \"systems/*\",\n]\n")
            .file("app/Cargo.toml", "[package]\nname = \"app\"\n")
            .file("systems/chat/Cargo.toml", "[package]\nname = \"chat\"\n")
            .open();
        let packages = packages(&tree);
        let found: Vec<_> = packages.iter().map(|p| (p.name.as_str(), p.folder.as_str())).collect();
        assert_eq!(found, [("app", "app"), ("chat", "systems/chat")]);
    }
}
