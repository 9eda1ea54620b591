//! Opening every kept format, and writing the one that is not released yet.

use std::fs;
use std::path::{Path, PathBuf};

use model::Json;

use super::content::{content, printed};
use super::sample;
use crate::account::findings;

/// Set to a folder `formats/vN` to write its bytes anew.
const REGENERATE: &str = "REGENERATE_FORMAT";

#[test]
fn every_kept_format_opens_with_its_whole_content() {
    let formats = formats();
    let mut opened = 0;
    for version in 1.. {
        let kept = formats.join(format!("v{version}"));
        if !kept.exists() {
            break;
        }
        let expected = fs::read(kept.join("expected.json")).unwrap();
        let expected = Json::parse(&expected).unwrap();
        let folder = tempfile::tempdir().unwrap();
        copy(&kept.join("store"), folder.path());
        runtime().block_on(check(folder.path(), &expected));
        opened += 1;
    }
    assert!(opened > 0, "no format is kept");
}

/// Content as expected, consistent, and still so after maintenance, a close and another opening.
async fn check(folder: &Path, expected: &Json) {
    let (engine, _) = sample::open(folder).await.unwrap();
    assert_eq!(findings(&engine).await, "");
    assert_eq!(printed(&content(&engine).await), printed(expected));
    engine.maintain_fully().await.unwrap();
    engine.close().await.unwrap();
    let (engine, _) = sample::open(folder).await.unwrap();
    assert_eq!(findings(&engine).await, "");
    // Maintenance lists the items of an older store in the order of creation, so that their order changes.
    let items = |content: &Json, name: &str| {
        let items = content.get(name).unwrap().get("items").and_then(Json::as_array).unwrap();
        let mut items: Vec<String> = items.iter().map(Json::to_string).collect();
        items.sort();
        items
    };
    let content = content(&engine).await;
    for name in ["events", "orders"] {
        assert_eq!(items(&content, name), items(expected, name));
    }
    engine.close().await.unwrap();
}

/// Does nothing in an ordinary run.
#[test]
fn regenerate() {
    let Some(kept) = std::env::var_os(REGENERATE) else { return };
    let kept = formats().join("..").join(kept);
    let folder = tempfile::tempdir().unwrap();
    // An engine that is dropped lets the folder go with its runtime.
    runtime().block_on(sample::write(folder.path()));
    runtime().block_on(sample::write_to_journal(folder.path()));
    let store = kept.join("store");
    if store.exists() {
        fs::remove_dir_all(&store).unwrap();
    }
    copy(folder.path(), &store);
    trim_journals(&store.join("lsm"));
    runtime().block_on(async {
        let (engine, _) = sample::open(folder.path()).await.unwrap();
        fs::write(kept.join("expected.json"), printed(&content(&engine).await)).unwrap();
        engine.close().await.unwrap();
    });
}

/// A journal is created with 64 MiB of zeros, of which opening cuts off what is not used; so do we.
fn trim_journals(tree: &Path) {
    for entry in fs::read_dir(tree).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jnl") {
            let mut bytes = fs::read(&path).unwrap();
            let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            bytes.truncate(used);
            fs::write(&path, bytes).unwrap();
        }
    }
}

fn formats() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
