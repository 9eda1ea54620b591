//! Damage to journals that are full and still needed, and to their second names in the folder `sealed`.
//!
//! Each case must be refused with a text that says what is wrong, or open with everything that was acknowledged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use storage::contract::SPACES;
use storage::{Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

use crate::damaged_files::{Content, DAMAGES, Damage, judge};
use crate::{SHARD, noise};

/// Sealed journals that a killed store must have.
const SEALED_MIN: usize = 2;
const COMMITS_MAX: u16 = 5_000;

/// The folder of a store that was killed while it needed several journals, and what it held.
struct KilledStore {
    folder: tempfile::TempDir,
    content: Content,
}

/// Writes a little into every space and then much into one: the memtables of the others keep the first journals alive.
async fn kill_with_sealed_journals() -> KilledStore {
    let (written, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let settings = LsmSettings { memtable_bytes_max: 64 * 1024, ..LsmSettings::default() };
    let store = LsmStore::open(written.path(), SPACES, settings).unwrap();
    let mut content = Content::new();
    for number in 0..COMMITS_MAX {
        let mut set = WriteSet::new();
        let key = number.to_be_bytes().to_vec();
        let spaces = if number.is_multiple_of(50) { SPACES } else { &SPACES[..1] };
        for space in spaces {
            let value = noise(u64::from(number), 400);
            set.put(*space, key.clone(), value.clone());
            content.insert((space.number, key.clone()), value);
        }
        store.commit(SHARD, vec![set]).await.unwrap();
        if journals(&written.path().join("sealed")).len() >= SEALED_MIN {
            copy(written.path(), folder.path());
            let sealed = journals(&folder.path().join("sealed"));
            let all = journals(&folder.path().join("lsm"));
            if sealed.len() >= SEALED_MIN && all.len() == sealed.len() + 1 {
                return KilledStore { folder, content };
            }
            // The tree has exchanged files while they were copied.
            fs::remove_dir_all(folder.path()).unwrap();
        }
    }
    panic!("no journal was sealed by {COMMITS_MAX} commits");
}

fn journals(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut journals: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "jnl")).collect();
    journals.sort();
    journals
}

/// Copies a folder. A journal with two names keeps both.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let mut folders: Vec<_> =
        fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The tree before the folder of second names.
    folders.sort();
    for path in folders {
        let target = to.join(path.file_name().unwrap());
        let is_second_name = from.ends_with("sealed") || path.parent().unwrap().ends_with("sealed");
        let first_name = to.parent().unwrap().join("lsm").join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else if is_second_name && first_name.exists() {
            fs::hard_link(first_name, target).unwrap();
        } else if let Ok(mut bytes) = fs::read(&path) {
            if path.extension().is_some_and(|extension| extension == "jnl") {
                let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                bytes.truncate(used);
            }
            fs::write(&target, bytes).unwrap();
        }
    }
}

#[tokio::test]
async fn every_damaged_sealed_journal_is_refused_or_recovered() {
    let store = kill_with_sealed_journals().await;
    let untouched = tempfile::tempdir().unwrap();
    copy(store.folder.path(), untouched.path());
    assert_eq!(judge(untouched.path(), &store.content).await, Ok("recovered"));
    let (mut complaints, mut outcomes) = (Vec::new(), BTreeMap::<_, usize>::new());
    let sealed = journals(&store.folder.path().join("sealed"));
    let tree = journals(&store.folder.path().join("lsm"));
    for path in sealed.iter().chain(&tree) {
        let name = path.strip_prefix(store.folder.path()).unwrap();
        for damage in DAMAGES {
            let folder = tempfile::tempdir().unwrap();
            copy(store.folder.path(), folder.path());
            // An older copy of a journal is a journal before it.
            let older = fs::read(&tree[0]).ok();
            if !damage.apply(&folder.path().join(name), older) {
                continue;
            }
            match judge(folder.path(), &store.content).await {
                Ok(outcome) => *outcomes.entry(outcome).or_default() += 1,
                Err(what) => complaints.push(format!("{} {damage:?}: {what}", name.display())),
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(outcomes.get("refused").is_some_and(|count| *count > 10), "{outcomes:?}");
    assert!(outcomes.get("recovered").is_some_and(|count| *count > 2), "{outcomes:?}");
}

#[tokio::test]
async fn a_sealed_journal_that_was_deleted_comes_back_by_its_second_name() {
    let store = kill_with_sealed_journals().await;
    for sealed in journals(&store.folder.path().join("sealed")) {
        let folder = tempfile::tempdir().unwrap();
        copy(store.folder.path(), folder.path());
        let journal = folder.path().join("lsm").join(sealed.file_name().unwrap());
        assert!(Damage::Delete.apply(&journal, None));
        assert_eq!(judge(folder.path(), &store.content).await, Ok("recovered"), "{journal:?}");
    }
}

#[tokio::test]
async fn the_folder_of_second_names_is_not_needed() {
    let store = kill_with_sealed_journals().await;
    fs::remove_dir_all(store.folder.path().join("sealed")).unwrap();
    assert_eq!(judge(store.folder.path(), &store.content).await, Ok("recovered"));
}
