//! Journals that are full, and their second names: deleted, cut, zeroed, changed by a bit, replaced by an older copy.
//!
//! The tree seals a journal beyond 64 MB only. So most tests here cut the journal of a small store where a batch ends,
//! into the files that the tree would have made of it; one lets the tree seal a journal by itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use storage::contract::SPACES;
use storage::{Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

use crate::damaged_files::{
    Content, DAMAGES, Damage, copy, copy_while_open, judge, write_generation,
};
use crate::{SHARD, noise, open};

/// The last bytes of each batch of a journal.
const TRAILER: [u8; 4] = *b"FJL\x03";

/// A store with two sealed journals and what it holds.
struct SealedStore {
    folder: tempfile::TempDir,
    content: Content,
    /// For each file its content when it had half of its batches.
    older: BTreeMap<PathBuf, Vec<u8>>,
}

/// The ends of the batches in a journal.
fn batch_ends(journal: &[u8]) -> Vec<usize> {
    let ends = journal.windows(TRAILER.len()).enumerate();
    let ends = ends.filter(|(_, bytes)| *bytes == TRAILER).map(|(at, _)| at + TRAILER.len());
    // Every batch begins with a 1; the same bytes inside a value are not followed by one here.
    ends.filter(|end| journal.get(*end).is_none_or(|next| *next == 1)).collect()
}

/// Gives the sealed journals their second names, as the store does.
fn link(folder: &Path, sealed: &[&str]) {
    let links = folder.join("sealed");
    let _ = fs::remove_dir_all(&links);
    fs::create_dir(&links).unwrap();
    for name in sealed {
        fs::hard_link(folder.join("lsm").join(name), links.join(name)).unwrap();
    }
}

async fn sealed_store() -> SealedStore {
    let written = tempfile::tempdir().unwrap();
    let store = open(written.path());
    let mut content = Content::new();
    for generation in 0..6 {
        write_generation(&store, generation, &mut content).await;
    }
    let folder = tempfile::tempdir().unwrap();
    copy_while_open(written.path(), folder.path());
    let whole = fs::read(folder.path().join("lsm/0.jnl")).unwrap();
    let ends = batch_ends(&whole);
    assert!(ends.len() > 100 && ends.last() == Some(&whole.len()), "{}", ends.len());
    let mut older = BTreeMap::new();
    let (first, second) = (ends.len() / 3, 2 * ends.len() / 3);
    let parts = [(0, first), (first, second), (second, ends.len())];
    for (number, (from, to)) in parts.into_iter().enumerate() {
        let place = |batch: usize| batch.checked_sub(1).map_or(0, |last| ends[last]);
        let name = format!("{number}.jnl");
        let path = PathBuf::from("lsm").join(&name);
        fs::write(folder.path().join(&path), &whole[place(from)..place(to)]).unwrap();
        let half = whole[place(from)..place(usize::midpoint(from, to))].to_vec();
        older.insert(PathBuf::from("sealed").join(&name), half.clone());
        older.insert(path, half);
    }
    link(folder.path(), &["0.jnl", "1.jnl"]);
    SealedStore { folder, content, older }
}

impl SealedStore {
    /// A copy in which two names of a journal are one file, as in the original.
    fn copied(&self) -> tempfile::TempDir {
        let copied = tempfile::tempdir().unwrap();
        copy(self.folder.path(), copied.path());
        link(copied.path(), &["0.jnl", "1.jnl"]);
        copied
    }
}

#[tokio::test]
async fn a_store_with_sealed_journals_opens_with_everything() {
    let store = sealed_store().await;
    assert_eq!(judge(store.copied().path(), &store.content).await, Ok("recovered"));
}

#[tokio::test]
async fn every_damage_to_a_sealed_journal_is_refused_or_recovered() {
    let store = sealed_store().await;
    let (mut complaints, mut outcomes) = (Vec::new(), BTreeMap::new());
    for (name, older) in &store.older {
        if !store.folder.path().join(name).exists() {
            continue;
        }
        for damage in DAMAGES {
            let folder = store.copied();
            if !damage.apply(&folder.path().join(name), Some(older.clone())) {
                continue;
            }
            match judge(folder.path(), &store.content).await {
                Ok(outcome) => *outcomes.entry(outcome).or_insert(0) += 1,
                Err(what) => complaints.push(format!("{} {damage:?}: {what}", name.display())),
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(outcomes.get("refused").is_some_and(|count| *count > 30), "{outcomes:?}");
    assert!(outcomes.get("recovered").is_some_and(|count| *count >= 4), "{outcomes:?}");
}

/// A backup puts another file under one name; the second name keeps the sealed one.
#[tokio::test]
async fn a_sealed_journal_under_one_name_only_is_not_mixed_with_an_older_one() {
    let store = sealed_store().await;
    for name in ["0.jnl", "1.jnl"] {
        for folder_name in ["lsm", "sealed"] {
            let folder = store.copied();
            let path = folder.path().join(folder_name).join(name);
            let older = &store.older[&PathBuf::from("lsm").join(name)];
            fs::remove_file(&path).unwrap();
            fs::write(&path, older).unwrap();
            let outcome = judge(folder.path(), &store.content).await;
            assert!(outcome.is_ok(), "{folder_name}/{name}: {outcome:?}");
            // The tree reads its own folder: what lies there decides.
            let expected = if folder_name == "lsm" { "refused" } else { "recovered" };
            assert_eq!(outcome, Ok(expected), "{folder_name}/{name}");
        }
    }
}

#[tokio::test]
async fn journals_in_another_order_or_of_another_time_are_refused() {
    let store = sealed_store().await;
    let exchanged = store.copied();
    let tree = exchanged.path().join("lsm");
    fs::rename(tree.join("0.jnl"), tree.join("9.tmp")).unwrap();
    fs::rename(tree.join("1.jnl"), tree.join("0.jnl")).unwrap();
    fs::rename(tree.join("9.tmp"), tree.join("1.jnl")).unwrap();
    assert_eq!(judge(exchanged.path(), &store.content).await, Ok("refused"));
    let repeated = store.copied();
    let tree = repeated.path().join("lsm");
    fs::remove_file(tree.join("1.jnl")).unwrap();
    fs::copy(tree.join("0.jnl"), tree.join("1.jnl")).unwrap();
    assert_eq!(judge(repeated.path(), &store.content).await, Ok("refused"));
}

/// The damages that the tree's own sealed journal is tested with: all in the nightly run, otherwise the deletion.
fn damages_of_the_tree() -> Vec<Damage> {
    let is_nightly = std::env::var_os("SEALED_JOURNAL_DAMAGES").is_some();
    if is_nightly { DAMAGES.to_vec() } else { vec![Damage::Delete] }
}

#[tokio::test]
async fn a_journal_that_the_tree_has_sealed_is_refused_or_recovered() {
    const MIB: usize = 1 << 20;
    let written = tempfile::tempdir().unwrap();
    // Enough journals that the tree keeps the first one although little of it is missing in tables.
    let settings = LsmSettings {
        memtable_bytes_max: 8 * MIB as u64,
        journal_bytes_max: 512 * MIB as u64,
        ..LsmSettings::default()
    };
    let store = LsmStore::open(written.path(), SPACES, settings).unwrap();
    let mut content = Content::new();
    // In all spaces, and too little to be written as tables: only the journal holds it.
    write_generation(&store, 0, &mut content).await;
    let (large, mut number) = (SPACES[0], 0_u64);
    let tree = written.path().join("lsm");
    while !(tree.join("1.jnl").exists() && written.path().join("sealed/0.jnl").exists()) {
        assert!(number < 160, "the tree seals a journal beyond 64 MB");
        let mut set = WriteSet::new();
        let (key, value) = (format!("large {number}").into_bytes(), noise(number + 1000, MIB));
        set.put(large, key.clone(), value.clone());
        content.insert((large.number, key), value);
        store.commit(SHARD, vec![set]).await.unwrap();
        number += 1;
    }
    write_generation(&store, 1, &mut content).await;
    let killed = tempfile::tempdir().unwrap();
    copy_while_open(written.path(), killed.path());
    assert!(number > 60, "the first journal holds more than 60 MB");
    for damage in damages_of_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        copy(killed.path(), folder.path());
        link(folder.path(), &["0.jnl"]);
        let path = folder.path().join("lsm/0.jnl");
        let whole = fs::read(&path).unwrap();
        let half = batch_ends(&whole).len() / 2;
        let older = whole[..batch_ends(&whole)[half]].to_vec();
        assert!(damage.apply(&path, Some(older)), "{damage:?}");
        let outcome = judge(folder.path(), &content).await;
        let expected = if damage == Damage::Delete { Ok("recovered") } else { Ok("refused") };
        assert_eq!(outcome, expected, "{damage:?}");
    }
}
