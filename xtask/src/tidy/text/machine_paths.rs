//! Check 14: no path of somebody's machine in a text file. The tree must read and run the same everywhere.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::Tree;

const RULE: &str = "machine-paths";

/// Spelled in two halves, so that this file does not find itself.
const FORBIDDEN: &[&str] = &[concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/")];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for path in tree.paths() {
        let Some(text) = tree.text(path) else {
            continue;
        };
        for (index, line) in text.lines().enumerate() {
            for forbidden in FORBIDDEN.iter().filter(|start| has_path(line, start)) {
                let message = TidyMessage::new(
                    format!("a path that starts with `{forbidden}`"),
                    "it exists on one machine only",
                    "use a path from the root of the repository, or a temporary folder",
                );
                report.find(path, index + 1, RULE, message);
            }
        }
    }
}

/// Whether the path starts here: the same letters inside a longer path or a link are innocent.
fn has_path(line: &str, start: &str) -> bool {
    let continues = |char: char| char.is_alphanumeric() || "._-/}>".contains(char);
    line.match_indices(start).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(continues)
    })
}

#[cfg(test)]
mod tests {
    use super::{FORBIDDEN, check};
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn paths_of_a_machine_are_found() {
        let [root, home, work] = FORBIDDEN else { panic!("three are forbidden") };
        let tree = Fixture::new("machine")
            .file("a.md", &format!("see\n`{home}me/x`\nhttps://example.com{work}a\n"))
            .file("b.toml", &format!("path = \"{root}x\"\n"))
            .file("c.bin", &format!("\0{work}x"))
            .open();
        let expected = [
            format!("a.md:2: machine-paths: a path that starts with `{home}`"),
            format!("b.toml:1: machine-paths: a path that starts with `{root}`"),
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
