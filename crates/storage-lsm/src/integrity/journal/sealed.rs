//! A second name for every journal that is full and not yet needed no more.
//!
//! Owns the folder `sealed`, with a hard link to each journal of the tree but the newest. The tree deletes a journal
//! when all of its content is in tables, without a report. So a journal that is missing when the store is opened may
//! have been needed no more, or somebody has deleted it. With its second name it can be put back: replaying a journal
//! that was not needed changes nothing, because every journal behind it is replayed as well.
//!
//! The newest journal needs no second name: without it the newest stamps are missing (`durable_stamps`).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

const FOLDER: &str = "sealed";
const EXTENSION: &str = "jnl";

/// The links of one store.
#[derive(Debug)]
pub(crate) struct SealedJournals {
    links: PathBuf,
    tree_folder: PathBuf,
    /// How many journals the tree had when the links were last compared with them.
    journals_seen: usize,
}

impl SealedJournals {
    pub(crate) fn new(folder: &Path, tree_folder: &Path) -> Self {
        let links = folder.join(FOLDER);
        Self { links, tree_folder: tree_folder.to_owned(), journals_seen: 1 }
    }

    /// Links new sealed journals and removes the links of those the tree has deleted, if their number has changed.
    pub(crate) fn follow(&mut self, journals: usize) {
        if journals != self.journals_seen {
            self.journals_seen = journals;
            // A second name is a second chance and nothing more: a file system without hard links works without.
            let _ = self.refresh();
        }
    }

    fn refresh(&self) -> io::Result<()> {
        let mut journals = journals_in(&self.tree_folder)?;
        journals.pop_last();
        if !journals.is_empty() {
            fs::create_dir_all(&self.links)?;
        }
        let linked = journals_in(&self.links).unwrap_or_default();
        for (number, path) in &journals {
            if !linked.contains_key(number) {
                fs::hard_link(path, self.link(*number))?;
            }
        }
        for (number, link) in linked {
            if !journals.contains_key(&number) {
                fs::remove_file(link)?;
            }
        }
        Ok(())
    }

    /// Puts back journals that are missing directly in front of the oldest one, or between two.
    pub(super) fn restore(&self) -> io::Result<()> {
        let Ok(mut linked) = journals_in(&self.links) else { return Ok(()) };
        let mut journals = journals_in(&self.tree_folder)?;
        // From the newest down. Where one is missing without a link, those before it were not needed: the tree deletes
        // the oldest first.
        let mut next = journals.last_key_value().map(|(number, _)| *number);
        while let Some(number) = next.and_then(|number: u64| number.checked_sub(1)) {
            let link = linked.remove(&number);
            if let Entry::Vacant(missing) = journals.entry(number) {
                let Some(link) = link else { break };
                let path = self.tree_folder.join(file_name(number));
                fs::hard_link(&link, &path)?;
                missing.insert(path);
            }
            next = Some(number);
        }
        for link in linked.into_values() {
            fs::remove_file(link)?;
        }
        Ok(())
    }

    /// Replaces second names that lead to another file than the first one: somebody has copied them back from a backup.
    /// Kept, such a file would take the place of the journal when the tree has deleted it. Called after the journals
    /// were checked, because until then the second name may be the better one.
    pub(super) fn relink(&self) -> io::Result<()> {
        let Ok(linked) = journals_in(&self.links) else { return Ok(()) };
        for (number, path) in journals_in(&self.tree_folder)? {
            if let Some(link) = linked.get(&number)
                && !have_same_inode(&path, link)?
            {
                fs::remove_file(link)?;
                // Without hard links it works without a second name.
                let _ = fs::hard_link(&path, link);
            }
        }
        Ok(())
    }

    fn link(&self, number: u64) -> PathBuf {
        self.links.join(file_name(number))
    }
}

fn have_same_inode(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (fs::metadata(one)?, fs::metadata(other)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

fn file_name(number: u64) -> String {
    format!("{number}.{EXTENSION}")
}

/// The journals in a folder by number.
pub(super) fn journals_in(folder: &Path) -> io::Result<BTreeMap<u64, PathBuf>> {
    let mut journals = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_journal = path.extension().is_some_and(|extension| extension == EXTENSION);
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        if let (true, Some(number)) = (is_journal, number) {
            journals.insert(number, path);
        }
    }
    Ok(journals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, PathBuf, SealedJournals) {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("lsm");
        fs::create_dir(&tree).unwrap();
        let sealed = SealedJournals::new(folder.path(), &tree);
        (folder, tree, sealed)
    }

    fn numbers(folder: &Path) -> Vec<u64> {
        journals_in(folder).unwrap_or_default().into_keys().collect()
    }

    #[test]
    fn a_second_name_of_another_file_is_replaced() {
        let (_folder, tree, mut sealed) = folders();
        for number in [3, 4] {
            fs::write(tree.join(file_name(number)), "right").unwrap();
        }
        sealed.follow(2);
        fs::remove_file(sealed.link(3)).unwrap();
        fs::write(sealed.link(3), "older").unwrap();
        sealed.relink().unwrap();
        assert_eq!(fs::read_to_string(sealed.link(3)).unwrap(), "right");
        assert!(have_same_inode(&tree.join(file_name(3)), &sealed.link(3)).unwrap());
    }

    #[test]
    fn links_follow_the_sealed_journals() {
        let (_folder, tree, mut sealed) = folders();
        for number in 3..6 {
            fs::write(tree.join(file_name(number)), "x").unwrap();
        }
        sealed.follow(3);
        assert_eq!(numbers(&sealed.links), [3, 4]);
        fs::remove_file(tree.join("3.jnl")).unwrap();
        sealed.follow(2);
        assert_eq!(numbers(&sealed.links), [4]);
    }

    #[test]
    fn a_deleted_journal_comes_back_and_one_that_was_not_needed_goes() {
        let (_folder, tree, mut sealed) = folders();
        for number in 3..7 {
            fs::write(tree.join(file_name(number)), "x").unwrap();
        }
        sealed.follow(4);
        fs::write(sealed.link(1), "x").unwrap();
        fs::remove_file(tree.join("3.jnl")).unwrap();
        fs::remove_file(tree.join("5.jnl")).unwrap();
        sealed.restore().unwrap();
        assert_eq!(numbers(&tree), [3, 4, 5, 6]);
        assert_eq!(numbers(&sealed.links), [3, 4, 5]);
    }
}
