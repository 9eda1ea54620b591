//! Check 6: folders replace prefixes. Inside `src/`, a folder stays small and siblings do not share a first word.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::Tree;

const RULE: &str = "folder-shape";
const FILES_MAX: usize = 15;
const SHARED_PREFIX_MAX: usize = 2;

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for (folder, names) in folders(tree) {
        if names.files.len() > FILES_MAX {
            let message = TidyMessage::new(
                format!("{} files in one folder, more than {FILES_MAX}", names.files.len()),
                "a long listing is hard to read",
                "group files by noun into folders",
            );
            report.find(&folder, 1, RULE, message);
        }
        for (prefix, siblings) in families(&names.all) {
            let message = TidyMessage::new(
                format!("{} share the prefix `{prefix}`", siblings.join(", ")),
                "folders show structure, prefixes hide it",
                format!("make a folder `{prefix}/` and drop the prefix"),
            );
            report.find(&folder, 1, RULE, message);
        }
    }
}

#[derive(Default)]
struct FolderListing {
    /// Files but `mod.rs`, which is the listing itself.
    files: BTreeSet<String>,
    /// Files and folders, without their endings.
    all: BTreeSet<String>,
}

/// The Rust files and folders of each folder that is or is inside a `src/`.
fn folders(tree: &Tree) -> BTreeMap<String, FolderListing> {
    let mut folders: BTreeMap<String, FolderListing> = BTreeMap::new();
    for path in tree.rust_paths() {
        let parts: Vec<&str> = path.split('/').collect();
        let Some(source) = parts.iter().position(|part| *part == "src") else {
            continue;
        };
        for (index, name) in parts.iter().enumerate().skip(source + 1) {
            let folder: Vec<&str> = parts.iter().take(index).copied().collect();
            let names = folders.entry(folder.join("/")).or_default();
            names.all.insert(name.trim_end_matches(".rs").to_owned());
            if name.ends_with(".rs") && *name != "mod.rs" {
                names.files.insert((*name).to_owned());
            }
        }
    }
    folders
}

/// The first words shared by too many siblings.
fn families(names: &BTreeSet<String>) -> BTreeMap<&str, Vec<&str>> {
    let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in names {
        let prefix = name.split('_').next().unwrap_or(name);
        families.entry(prefix).or_default().push(name);
    }
    families.retain(|_, siblings| siblings.len() > SHARED_PREFIX_MAX);
    families
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn a_crowded_folder_is_found() {
        let mut tree = Fixture::new("crowded").file("a/src/mod.rs", "");
        for index in 0..16 {
            tree = tree.file(&format!("a/src/n{index}.rs"), "");
            tree = tree.file(&format!("a/tests/it/n{index}.rs"), "");
        }
        let expected = ["a/src:1: folder-shape: 16 files in one folder, more than 15"];
        assert_eq!(found(&tree.open(), check), expected);
    }

    #[test]
    fn a_prefix_shared_by_three_is_found() {
        let tree = Fixture::new("prefix")
            .file("a/src/deep/split.rs", "")
            .file("a/src/deep/split_left.rs", "")
            .file("a/src/deep/split_right/mod.rs", "")
            .file("a/src/deep/merge_left.rs", "")
            .file("a/src/deep/merge_right.rs", "")
            .open();
        let expected = "a/src/deep:1: folder-shape: \
                        split, split_left, split_right share the prefix `split`";
        assert_eq!(found(&tree, check), [expected]);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
