//! Folders that must not be opened, and the error each of them gets.

use std::fs;
use std::path::Path;

use storage::contract::SPACES;
use storage::{ErrorKind, Read, Store};
use storage_lsm::{LsmSettings, LsmStore};

use crate::{ITEMS, SHARD, open, put, refusal};

/// Asserts that opening fails with this kind, and that the text names the path and contains the words.
fn check(path: &Path, kind: &ErrorKind, words: &str) {
    let error = LsmStore::open(path, SPACES, LsmSettings::default()).unwrap_err();
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    assert!(text.contains(words), "{text:?} does not say {words:?}");
    assert!(text.contains(&path.display().to_string()), "{text:?} does not name the path");
}

/// A closed store with one commit.
async fn written(folder: &Path) {
    let store = open(folder);
    put(&store, "a", "1").await;
    store.close().await.unwrap();
}

#[test]
fn a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "text").unwrap();
    check(&path, &ErrorKind::CannotOpen, "it is a file");
    assert_eq!(fs::read(&path).unwrap(), b"text");
}

#[test]
fn a_path_with_a_file_in_it_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "text").unwrap();
    check(&path.join("inside"), &ErrorKind::CannotOpen, "choose a folder");
}

#[test]
fn a_foreign_folder_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    check(folder.path(), &ErrorKind::CannotOpen, "letter.txt");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_without_permission_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("locked");
    fs::create_dir(&path).unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    if fs::write(path.join("probe"), "").is_ok() {
        // A privileged user may write anywhere, so opening would succeed.
        return;
    }
    check(&path, &ErrorKind::CannotOpen, "no permission");
}

#[tokio::test]
async fn a_second_opening_is_refused_while_the_folder_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    check(folder.path(), &ErrorKind::CannotOpen, "already open");
    put(&first, "a", "1").await;
    drop(first);
    open(folder.path());
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path()).await;
    fs::write(folder.path().join("FORMAT"), "planisphere\nbackend lsm\nformat 5\n").unwrap();
    check(folder.path(), &ErrorKind::CannotOpen, "open it with the newer version");
}

#[tokio::test]
async fn another_backend_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("FORMAT"), "planisphere\nbackend tape\nformat 1\n").unwrap();
    check(folder.path(), &ErrorKind::CannotOpen, "tape");
}

#[tokio::test]
async fn a_damaged_marker_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path()).await;
    let damaged: [&[u8]; 5] = [
        b"",
        b"\xFF\xFE",
        b"planisphere\n",
        b"planisphere\nbackend lsm\nformat one\n",
        b"somebody else\nbackend lsm\nformat 1\n",
    ];
    for marker in damaged {
        fs::write(folder.path().join("FORMAT"), marker).unwrap();
        check(folder.path(), &ErrorKind::CannotOpen, "FORMAT is damaged");
    }
}

#[tokio::test]
async fn a_store_without_its_tree_is_refused_instead_of_recreated() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path()).await;
    fs::remove_dir_all(folder.path().join("lsm")).unwrap();
    check(folder.path(), &ErrorKind::CannotOpen, "restore the folder from a backup");
}

#[tokio::test]
async fn an_interrupted_creation_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("CREATING"), "").unwrap();
    fs::create_dir(folder.path().join("lsm")).unwrap();
    fs::write(folder.path().join("lsm/0.jnl"), "half").unwrap();
    let store = open(folder.path());
    put(&store, "a", "1").await;
    drop(store);
    assert!(!folder.path().join("CREATING").exists());
    let store = open(folder.path());
    assert!(store.get(SHARD, ITEMS, b"a").await.unwrap().is_some());
}

#[tokio::test]
async fn damaged_files_of_the_tree_are_reported_without_a_panic() {
    for victim in ["version", "keyspaces/1/current", "keyspaces/0/current", "0.jnl"] {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path()).await;
        let path = folder.path().join("lsm").join(victim);
        let length = fs::metadata(&path).unwrap().len();
        let nonsense = vec![0xA5; usize::try_from(length).unwrap().min(4096)];
        fs::write(&path, nonsense).unwrap();
        let result = LsmStore::open(folder.path(), SPACES, LsmSettings::default());
        let error = match result {
            Ok(store) if victim == "0.jnl" => {
                // The closing flush has moved everything into tables, so the journal was not needed.
                assert!(store.get(SHARD, ITEMS, b"a").await.unwrap().is_some());
                continue;
            }
            result => result.unwrap_err(),
        };
        let known = [ErrorKind::Corrupt, ErrorKind::CannotOpen];
        assert!(known.contains(error.kind()), "{victim}: {error}");
        assert!(error.to_string().contains(&folder.path().display().to_string()));
    }
}

#[tokio::test]
async fn missing_tables_are_reported_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path()).await;
    let tables = folder.path().join("lsm/keyspaces/1/tables");
    for table in fs::read_dir(&tables).unwrap() {
        fs::remove_file(table.unwrap().path()).unwrap();
    }
    let text = refusal(folder.path());
    assert!(text.contains("restore the folder from a backup"), "{text}");
}
