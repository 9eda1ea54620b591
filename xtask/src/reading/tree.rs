//! The files of the repository, as a sorted list of paths from its root.
//!
//! Owns: which files count (what git tracks or would track; without git, everything but build output) and reading them.
//! Does not own: what is inside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository, or a made-up one in a test.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    paths: Vec<String>,
}

impl Tree {
    /// Lists the files under `root`.
    pub(crate) fn open(root: &Path) -> Self {
        let mut paths = match git_files(root) {
            Some(paths) => paths,
            None => walk(root),
        };
        // Git lists a deleted file until its removal is staged.
        paths.retain(|path| root.join(path).is_file());
        // Findings come in the same order on every machine, and a file in conflict is listed by git once per side.
        paths.sort();
        paths.dedup();
        Self { root: root.to_owned(), paths }
    }

    /// The repository this package belongs to.
    pub(crate) fn workspace() -> Self {
        Self::open(&workspace_root())
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// All files, sorted.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// All Rust files, except the kept bytes of old formats.
    pub(crate) fn rust_paths(&self) -> impl Iterator<Item = &str> {
        self.paths().filter(|path| path.ends_with(".rs") && !path.starts_with("formats/"))
    }

    /// Whether a file or a folder with at least one file is at `path`.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.paths().any(|known| known == path || known.starts_with(&folder))
    }

    /// The text of a file; nothing when it is absent or is not text.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.root.join(path)).ok()?;
        // Valid UTF-8 may contain a zero byte, but no text of ours does; kept bytes of formats do.
        if bytes.contains(&0) {
            return None;
        }
        String::from_utf8(bytes).ok()
    }
}

/// The root of our repository: the parent of this package's folder.
pub(crate) fn workspace_root() -> PathBuf {
    // The variable at run time comes first: with a shared target folder the binary may have been built in another
    // checkout, and cargo sets the variable to the one that it is run in.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| package.clone(), Path::to_owned)
}

/// Tracked files and new files that are not ignored. Nothing outside a git checkout.
fn git_files(root: &Path) -> Option<Vec<String>> {
    // Without this, git would answer for a repository further up, for example around an unpacked archive. In a
    // worktree `.git` is a file.
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let listing = String::from_utf8(output.stdout).ok()?;
    Some(listing.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walk(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let path = folder.join(&name);
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if name == ".git" || name == "target" || name == "node_modules" {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::reading::fixture::Fixture;

    #[test]
    fn without_git_every_file_is_listed_but_build_output() {
        let tree = Fixture::new("walk")
            .file("b/src/lib.rs", "//! B.\n")
            .file("a.md", "text")
            .file("target/debug/x.rs", "")
            .open();
        assert_eq!(tree.paths().collect::<Vec<_>>(), ["a.md", "b/src/lib.rs"]);
        assert!(tree.has("b/src") && tree.has("a.md") && !tree.has("b/sr"));
    }

    #[test]
    fn bytes_are_not_text() {
        let tree = Fixture::new("bytes").file("x.bin", "a\0b").file("y.txt", "a").open();
        assert_eq!(tree.text("x.bin"), None);
        assert_eq!(tree.text("y.txt").as_deref(), Some("a"));
    }

    #[test]
    fn our_root_holds_this_package() {
        assert!(super::Tree::workspace().has("xtask/src/reading/tree.rs"));
    }
}
