//! Errors for folders that cannot be opened: what, why and the way out; and nothing in them is lost.

use std::fs;
use std::path::{Path, PathBuf};

use crate::planisphere::{filled, on};

struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.root.path().join("store")
    }

    /// A closed store with items.
    fn filled() -> Self {
        let folder = Self::new();
        filled(&folder.path());
        folder
    }
}

/// Every file with its bytes.
fn bytes_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(bytes_below(&path));
        } else {
            files.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// All commands that open an existing store refuse this folder and leave every byte as it was.
fn check(path: &Path, reason: &str, way_out: &str) {
    let before = path.is_dir().then(|| bytes_below(path));
    on("verify", path).refused(path, reason, way_out);
    let named = |command: &str| {
        let words = [command, "--database", "bench", "--container", "items", "--data"];
        crate::planisphere::planisphere(
            words.into_iter().map(Into::into).chain([path.as_os_str().to_owned()]),
        )
    };
    named("export").refused(path, reason, way_out);
    assert_eq!(path.is_dir().then(|| bytes_below(path)), before, "the folder was changed");
}

#[test]
fn a_missing_folder_is_refused_and_not_created() {
    let folder = Folder::new();
    check(&folder.path(), "there is no such folder", "Give the folder of a store");
    assert!(!folder.path().exists());
}

#[test]
fn an_empty_folder_is_no_store() {
    let folder = Folder::new();
    fs::create_dir(folder.path()).unwrap();
    check(&folder.path(), "it does not contain a store", "Give the folder of a store");
}

#[test]
fn a_foreign_folder_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path()).unwrap();
    fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    check(&folder.path(), "it is not a store", "Choose an empty folder");
    let said = on("bench", &folder.path());
    said.refused(&folder.path(), "it is not empty", "Choose a missing or empty folder");
}

#[test]
fn a_file_is_refused() {
    let folder = Folder::new();
    fs::write(folder.path(), "text").unwrap();
    check(&folder.path(), "it is a file", "Choose a folder");
    on("bench", &folder.path()).refused(&folder.path(), "it is a file", "Choose a folder");
    assert_eq!(fs::read(folder.path()).unwrap(), b"text");
}

#[test]
fn a_store_that_is_open_elsewhere_is_refused_and_goes_on() {
    let folder = Folder::filled();
    let open = storage_lsm::LsmStore::open(folder.path(), engine::SPACES, Default::default());
    let open = open.unwrap();
    let said = on("verify", &folder.path());
    said.refused(&folder.path(), "it is already open in this or another process", "Close it there");
    drop(open);
    on("verify", &folder.path()).succeeded();
}

#[test]
fn an_unknown_format_version_is_refused() {
    let folder = Folder::filled();
    let marker = folder.path().join("FORMAT");
    let known = fs::read(&marker).unwrap();
    fs::write(&marker, "planisphere\nbackend lsm\nformat 77\n").unwrap();
    check(&folder.path(), "format version 77", "Open it with the newer version");
    fs::write(&marker, known).unwrap();
    on("verify", &folder.path()).succeeded();
}

#[test]
fn a_damaged_marker_is_refused() {
    let folder = Folder::filled();
    let marker = folder.path().join("FORMAT");
    let known = fs::read(&marker).unwrap();
    for damaged in [&b""[..], b"\0\0\0\0", b"planisphere\nbackend lsm\nformat x\n"] {
        fs::write(&marker, damaged).unwrap();
        check(&folder.path(), "FORMAT is damaged", "Restore the folder from a backup");
    }
    fs::write(&marker, known).unwrap();
    on("verify", &folder.path()).succeeded();
}

#[test]
fn a_missing_tree_is_refused() {
    let folder = Folder::filled();
    fs::remove_dir_all(folder.path().join("lsm")).unwrap();
    check(&folder.path(), "lsm is missing", "Restore the folder from a backup");
}

/// Cut to half, one after the other, every data file is either refused or found out by verify: never a clean answer
/// with fewer items, and never a panic.
#[test]
fn a_truncated_data_file_is_noticed() {
    let folder = Folder::filled();
    let whole = on("verify", &folder.path()).succeeded().out;
    let originals = bytes_below(&folder.path());
    let tables = originals
        .iter()
        .filter(|(path, bytes)| path.parent().unwrap().ends_with("tables") && !bytes.is_empty());
    let mut noticed = 0;
    for (path, bytes) in tables {
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        let said = on("verify", &folder.path());
        match said.code {
            0 => assert_eq!(said.out, whole, "{} is cut", path.display()),
            1 => assert!(said.out.contains("finding: "), "{said:?}"),
            _ => said.refused(&folder.path(), "damaged", "Restore the folder from a backup"),
        }
        noticed += usize::from(said.code != 0);
        restore(&folder.path(), &originals);
    }
    assert!(noticed > 3, "only {noticed} cut files were noticed");
    assert_eq!(on("verify", &folder.path()).succeeded().out, whole);
}

fn restore(folder: &Path, originals: &[(PathBuf, Vec<u8>)]) {
    fs::remove_dir_all(folder).unwrap();
    for (path, bytes) in originals {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The newest writes of a store that was not closed lie in the journal only.
#[test]
fn a_truncated_journal_is_noticed() {
    let folder = Folder::filled();
    let journals: Vec<_> = bytes_below(&folder.path().join("lsm"))
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "jnl"))
        .collect();
    assert!(!journals.is_empty());
    for (path, bytes) in &journals {
        let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        fs::write(path, &bytes[..used / 2]).unwrap();
    }
    let said = on("verify", &folder.path());
    // A clean close has moved everything into tables, so the journal may no longer be needed.
    assert!(said.code == 0 || said.err.contains("backup"), "{said:?}");
}
