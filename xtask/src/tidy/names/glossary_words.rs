//! Check 10: one thing, one word. Words that the glossary forbids do not appear inside identifiers.
//!
//! Reads the block marked `tidy` in `docs/GLOSSARY.md`: one line per forbidden word, `word | say instead | crates where
//! it is allowed`. Only words without a second honest meaning are in it; the rest of the glossary is for people.

use std::collections::BTreeMap;

use crate::finding::{TidyMessage, TidyReport};
use crate::ratchet::{self, Offense};
use crate::reading::{RustText, Tree, is_fence};

const RULE: &str = "glossary";
const GLOSSARY: &str = "docs/GLOSSARY.md";
const CRATES: &[&str] = &["crates/model/", "crates/engine/", "crates/storage"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let offenses = offenses(tree, report);
    ratchet::settle(tree, &[RULE], &offenses, report);
}

/// Every forbidden word in an identifier, counted per file.
pub(crate) fn offenses(tree: &Tree, report: &mut TidyReport) -> Vec<Offense> {
    let Some(text) = tree.text(GLOSSARY) else {
        report.skip(RULE, "docs/GLOSSARY.md does not exist yet, no word was compared");
        return Vec::new();
    };
    let forbidden = forbidden(&text, report);
    let mut found = Vec::new();
    for path in tree.rust_paths() {
        let in_scope = CRATES.iter().any(|start| path.starts_with(start)) && path.contains("/src/");
        if in_scope {
            let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
            found.extend(file_offenses(path, &code, &forbidden));
        }
    }
    found
}

struct ForbiddenWord {
    /// As written in the glossary: `shard_key`.
    name: String,
    words: Vec<String>,
    instead: String,
    allowed_in: Vec<String>,
}

/// The lines of the block marked `tidy`.
fn forbidden(text: &str, report: &mut TidyReport) -> Vec<ForbiddenWord> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if is_fence(line) {
            inside = !inside && line.trim() == "```tidy";
        } else if inside && !line.trim().is_empty() {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            if let [name, instead, allowed_in @ ..] = cells.as_slice() {
                let allowed_in = allowed_in.iter().flat_map(|cell| cell.split(','));
                found.push(ForbiddenWord {
                    name: (*name).to_owned(),
                    words: words(name),
                    instead: (*instead).to_owned(),
                    allowed_in: allowed_in.map(|name| name.trim().to_owned()).collect(),
                });
            } else {
                let message = TidyMessage::new(
                    format!("cannot read `{line}`"),
                    "a word that is not understood forbids nothing",
                    "write `word | say instead`, then `| crates where it is allowed` if any",
                );
                report.find(GLOSSARY, index + 1, RULE, message);
            }
        }
    }
    if found.is_empty() {
        let message = TidyMessage::new(
            "no block marked `tidy`",
            "the forbidden words are read from it",
            "add a fenced block with `tidy` after its backticks",
        );
        report.find(GLOSSARY, 1, RULE, message);
    }
    found
}

fn file_offenses(path: &str, code: &str, forbidden: &[ForbiddenWord]) -> Vec<Offense> {
    let package = path.split('/').nth(1).unwrap_or_default();
    let mut lines_by_word: BTreeMap<&str, (Vec<usize>, &ForbiddenWord)> = BTreeMap::new();
    for (index, line) in code.lines().enumerate() {
        for identifier in identifiers(line) {
            let words = words(identifier);
            let said = |rule: &&ForbiddenWord| {
                let here = words.windows(rule.words.len()).any(|part| part == rule.words);
                here && !rule.allowed_in.iter().any(|name| name == package)
            };
            for rule in forbidden.iter().filter(said) {
                lines_by_word.entry(&rule.name).or_insert((Vec::new(), rule)).0.push(index + 1);
            }
        }
    }
    let offense = |(name, (lines, rule)): (&str, (Vec<usize>, &ForbiddenWord))| {
        let printed: Vec<String> = lines.iter().map(ToString::to_string).collect();
        Offense {
            path: path.to_owned(),
            rule: format!("{RULE}/{name}"),
            number: lines.len(),
            line: lines.first().copied().unwrap_or(1),
            message: TidyMessage::new(
                format!("`{name}` in an identifier at line {}", printed.join(", ")),
                "one thing has one word everywhere",
                format!("say `{}`, or change docs/GLOSSARY.md first", rule.instead),
            ),
        }
    };
    lines_by_word.into_iter().map(offense).collect()
}

/// The names on a line, but those after `::`: they are another crate's, or they are found where we define them.
fn identifiers(line: &str) -> Vec<&str> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let (before, name_on) = rest.split_at(start);
        let end = name_on.find(|char| !is_part(char)).unwrap_or(name_on.len());
        let (name, after) = name_on.split_at(end);
        if !before.ends_with("::") {
            found.push(name);
        }
        rest = after;
    }
    found
}

/// The words of an identifier, whether they are joined by `_` or by capitals.
fn words(identifier: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_is_lower = false;
    for char in identifier.chars() {
        // A capital after a capital begins no word: `SHARD` in a constant is one.
        if char == '_' || (char.is_uppercase() && previous_is_lower) {
            words.push(std::mem::take(&mut word));
        }
        if char != '_' {
            word.extend(char.to_lowercase());
        }
        previous_is_lower = char.is_lowercase() || char.is_ascii_digit();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{check, words};
    use crate::finding::TidyReport;
    use crate::ratchet::LIST;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    const GLOSSARY: &str =
        "# G\n```tidy\nshard_key | partition key\nseqno | lsn | storage-lsm\nuid | rid\n```\n";

    #[test]
    fn identifiers_fall_into_words() {
        assert_eq!(words("ShardKey"), ["shard", "key"]);
        assert_eq!(words("MAX_SHARD_key2"), ["max", "shard", "key2"]);
    }

    #[test]
    fn forbidden_words_in_identifiers_are_found() {
        let tree = Fixture::new("glossary")
            .file("docs/GLOSSARY.md", GLOSSARY)
            .file("crates/engine/src/a.rs", "struct ShardKey;\nlet last_seqno = guid; // uid\n")
            .file("crates/storage-lsm/src/a.rs", "let seqno = shard::uid + key;\n")
            .file("app/src/main.rs", "let uid = 1;\n")
            .open();
        let path = "crates/engine/src/a.rs";
        let expected = [
            format!("{path}:2: glossary/seqno: `seqno` in an identifier at line 2"),
            format!("{path}:1: glossary/shard_key: `shard_key` in an identifier at line 1"),
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn exceptions_are_ratcheted() {
        let tree = Fixture::new("glossary-ratchet")
            .file("docs/GLOSSARY.md", GLOSSARY)
            .file("crates/model/src/a.rs", "let uid = uid;\n")
            .file(LIST, "crates/model/src/a.rs glossary/uid 2\n")
            .open();
        assert_eq!(found(&tree, check), Vec::<String>::new());
    }

    #[test]
    fn a_glossary_without_a_list_is_found_and_a_missing_one_is_said_aloud() {
        let tree = Fixture::new("glossary-mute").file("docs/GLOSSARY.md", "# G\n").open();
        assert_eq!(found(&tree, check), ["docs/GLOSSARY.md:1: glossary: no block marked `tidy`"]);
        let mut report = TidyReport::default();
        check(&Fixture::new("glossary-none").open(), &mut report);
        assert_eq!(report.skipped.len(), 1);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
