//! Every file of a store deleted, cut, zeroed, changed by a bit, or replaced by an older copy.
//!
//! Each case must be refused with a text that says what is wrong, or open with everything that was acknowledged. A
//! store that opens and lacks something, or holds something old, fails the test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use storage::contract::SPACES;
use storage::{Direction, ErrorKind, KeyRange, Read, Scan, ScanLimit, Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

use crate::{SHARD, open, put, refusal};

pub(crate) type Content = BTreeMap<(u8, Vec<u8>), Vec<u8>>;

/// A way to damage a file; `older` is its content at an earlier time, if it existed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Delete,
    Empty,
    CutInHalf,
    CutLastByte,
    Zero,
    ZeroFirstBytes,
    FlipBit { eighth: usize },
    FlipLastBit,
    OlderCopy,
}

pub(crate) const DAMAGES: [Damage; 13] = [
    Damage::Delete,
    Damage::Empty,
    Damage::CutInHalf,
    Damage::CutLastByte,
    Damage::Zero,
    Damage::ZeroFirstBytes,
    Damage::FlipBit { eighth: 0 },
    Damage::FlipBit { eighth: 1 },
    Damage::FlipBit { eighth: 3 },
    Damage::FlipBit { eighth: 5 },
    Damage::FlipBit { eighth: 7 },
    Damage::FlipLastBit,
    Damage::OlderCopy,
];

impl Damage {
    /// Damages the file. Returns whether that changed anything.
    pub(crate) fn apply(self, path: &Path, older: Option<Vec<u8>>) -> bool {
        let before = fs::read(path).unwrap();
        let length = before.len();
        let mut bytes = before.clone();
        match self {
            Self::Delete => {
                fs::remove_file(path).unwrap();
                return true;
            }
            Self::Empty => bytes.clear(),
            Self::CutInHalf => bytes.truncate(length / 2),
            Self::CutLastByte => bytes.truncate(length.saturating_sub(1)),
            Self::Zero => bytes.fill(0),
            Self::ZeroFirstBytes => bytes.iter_mut().take(16).for_each(|byte| *byte = 0),
            Self::FlipBit { eighth } => {
                if let Some(byte) = bytes.get_mut(length * eighth / 8) {
                    *byte ^= 0x04;
                }
            }
            Self::FlipLastBit => {
                if let Some(byte) = bytes.last_mut() {
                    *byte ^= 0x01;
                }
            }
            Self::OlderCopy => match older {
                Some(older) => bytes = older,
                None => return false,
            },
        }
        fs::write(path, &bytes).unwrap();
        bytes != before
    }
}

/// Commits twenty values of one generation; every second generation removes what the one before has written.
pub(crate) async fn write_generation(store: &LsmStore, generation: u8, content: &mut Content) {
    for number in 0..20_u8 {
        let mut set = WriteSet::new();
        for space in SPACES {
            let key = vec![generation, number];
            set.put(*space, key.clone(), vec![generation; 300]);
            content.insert((space.number, key), vec![generation; 300]);
            set.put(*space, vec![number], vec![generation; 5]);
            content.insert((space.number, vec![number]), vec![generation; 5]);
            if generation % 2 == 1 {
                let removed = vec![generation - 1, number];
                set.remove(*space, removed.clone());
                content.remove(&(space.number, removed));
            }
        }
        store.commit(SHARD, vec![set]).await.unwrap();
    }
}

/// A folder at two times, and what it held at the later one.
struct DamagedStore {
    earlier: tempfile::TempDir,
    later: tempfile::TempDir,
    content: Content,
}

/// Writes in several sessions. The last one is closed or, as by `kill -9`, not.
async fn prepare(closes: bool) -> DamagedStore {
    let folder = tempfile::tempdir().unwrap();
    let (earlier, later) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut content = Content::new();
    for generation in 0..4 {
        let store = open(folder.path());
        write_generation(&store, generation, &mut content).await;
        store.close().await.unwrap();
        drop(store);
        if generation == 1 {
            copy(folder.path(), earlier.path());
        }
    }
    let store = open(folder.path());
    write_generation(&store, 4, &mut content).await;
    if closes {
        store.close().await.unwrap();
        drop(store);
        copy(folder.path(), later.path());
    } else {
        copy_while_open(folder.path(), later.path());
    }
    // Without damage it opens, so what is refused below is refused for its damage.
    let untouched = tempfile::tempdir().unwrap();
    copy(later.path(), untouched.path());
    assert_eq!(judge(untouched.path(), &content).await, Ok("recovered"));
    DamagedStore { earlier, later, content }
}

/// Copies the files as `kill -9` would leave them: all at one time, and not while the tree exchanges some of them.
pub(crate) fn copy_while_open(from: &Path, to: &Path) {
    loop {
        let before = files(from);
        copy(from, to);
        let names = |folder: &Path, files: Vec<PathBuf>| -> Vec<PathBuf> {
            files.iter().map(|path| path.strip_prefix(folder).unwrap().to_owned()).collect()
        };
        let is_same = |path: &PathBuf| {
            let copied = to.join(path.strip_prefix(from).unwrap());
            !path.ends_with("current") || fs::read(path).ok() == fs::read(copied).ok()
        };
        if names(from, files(from)) == names(to, files(to)) && before.iter().all(is_same) {
            return;
        }
        fs::remove_dir_all(to).unwrap();
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            // A table may be deleted at any time while the store is open.
            let Ok(mut bytes) = fs::read(&path) else { continue };
            if path.extension().is_some_and(|extension| extension == "jnl") {
                // The tree reserves 64 MiB for a journal, and cuts off what it has not used when it opens it.
                let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                bytes.truncate(used);
            }
            fs::write(&target, bytes).unwrap();
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The whole content, or why it cannot be read.
async fn read_all(store: &Arc<LsmStore>) -> storage::Result<Content> {
    let mut content = Content::new();
    for space in SPACES {
        let mut range = KeyRange::all();
        loop {
            let scan = Scan::forward(range.clone(), ScanLimit::entries(10_000));
            let page = store.scan(SHARD, *space, &scan).await?;
            let last = page.entries.last().map(|entry| entry.key.clone());
            for entry in page.entries {
                content.insert((space.number, entry.key.to_vec()), entry.value.to_vec());
            }
            match last.filter(|_| page.more) {
                Some(last) => range = range.after(last, Direction::Forward),
                None => break,
            }
        }
    }
    Ok(content)
}

/// Opens a damaged copy. Returns a complaint if something is lost without a word.
pub(crate) async fn judge(folder: &Path, content: &Content) -> Result<&'static str, String> {
    let store = match LsmStore::open(folder, SPACES, LsmSettings::default()) {
        Ok(store) => store,
        Err(error) => {
            let text = error.to_string();
            let names_the_path = text.contains(&folder.display().to_string());
            let says_what_to_do =
                ["backup", "empty folder", "newer version", "that backend", "that wrote them"];
            if names_the_path && says_what_to_do.iter().any(|words| text.contains(words)) {
                return Ok("refused");
            }
            return Err(format!("refused with an unclear text: {text}"));
        }
    };
    match read_all(&store).await {
        Ok(found) if found == *content => {}
        Ok(found) => {
            return Err(format!("{} entries instead of {}", found.len(), content.len()));
        }
        Err(error) if *error.kind() == ErrorKind::Corrupt => return Ok("refused"),
        Err(error) => return Err(format!("read with the wrong error: {error}")),
    }
    put(&store, "after", "1").await;
    drop(store);
    let store = LsmStore::open(folder, SPACES, LsmSettings::default())
        .map_err(|error| format!("opened once and then refused: {error}"))?;
    let found = read_all(&store).await.map_err(|error| error.to_string())?;
    if found.len() == content.len() + 1 { Ok("recovered") } else { Err("lost later".to_owned()) }
}

async fn damage_everything(closes: bool) {
    let store = prepare(closes).await;
    let mut complaints = Vec::new();
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files(store.later.path()) {
        let name = path.strip_prefix(store.later.path()).unwrap().to_owned();
        for damage in DAMAGES {
            let folder = tempfile::tempdir().unwrap();
            copy(store.later.path(), folder.path());
            let older = fs::read(store.earlier.path().join(&name)).ok();
            if !damage.apply(&folder.path().join(&name), older) {
                continue;
            }
            match judge(folder.path(), &store.content).await {
                Ok(outcome) => *outcomes.entry(outcome).or_default() += 1,
                Err(what) => complaints.push(format!("{} {damage:?}: {what}", name.display())),
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    // Both must happen, or the test has damaged nothing that matters.
    assert!(outcomes.get("refused").is_some_and(|count| *count > 50), "{outcomes:?}");
    assert!(outcomes.get("recovered").is_some_and(|count| *count > 5), "{outcomes:?}");
}

#[tokio::test]
async fn every_damaged_file_of_a_closed_store_is_refused_or_recovered() {
    damage_everything(true).await;
}

#[tokio::test]
async fn every_damaged_file_of_a_killed_store_is_refused_or_recovered() {
    damage_everything(false).await;
}

#[tokio::test]
async fn a_keyspace_without_its_current_file_is_refused_and_not_recreated() {
    let store = prepare(true).await;
    let folder = store.later.path();
    for number in 0..=SPACES.len() {
        let path = folder.join(format!("lsm/keyspaces/{number}/current"));
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let text = refusal(folder);
        assert!(text.contains(&path.display().to_string()), "{text}");
        assert!(text.contains("is missing; restore the folder from a backup"), "{text}");
        assert!(LsmStore::verify_files(folder).is_err());
        // Nothing was deleted or replaced, so the file can be put back.
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(read_all(&open(folder)).await.unwrap(), store.content);
}

#[tokio::test]
async fn all_tables_are_read_when_the_files_are_verified() {
    let store = prepare(true).await;
    let verified = LsmStore::verify_files(store.later.path()).unwrap();
    let tables = files(store.later.path());
    let tables = tables.iter().filter(|path| path.parent().unwrap().ends_with("tables"));
    assert_eq!(verified.tables, tables.clone().count() as u64);
    let bytes: u64 = tables.map(|path| fs::metadata(path).unwrap().len()).sum();
    assert_eq!(verified.bytes, bytes);
}
