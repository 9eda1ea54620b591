//! Check 18: the glossary and the code agree. Every name in a column "in code" exists, and no type is called by a word
//! of a column "never say".
//!
//! Does not own: words inside longer identifiers; see `glossary_words.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree, code_spans, types};

const RULE: &str = "glossary-names";
const GLOSSARY: &str = "docs/GLOSSARY.md";

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let Some(text) = tree.text(GLOSSARY) else {
        return report.skip(RULE, "docs/GLOSSARY.md does not exist yet, no name was compared");
    };
    let rows = rows(&text);
    let code = CodeNames::read(tree);
    let mut in_code = BTreeSet::new();
    for row in &rows {
        for name in &row.in_code {
            in_code.insert(name.as_str());
            if !code.contains(name) {
                let message = TidyMessage::new(
                    format!("no code is called `{name}`"),
                    "a glossary that names what does not exist misleads",
                    "correct the name in the glossary, or rename the code",
                );
                report.find(GLOSSARY, row.line, RULE, message);
            }
        }
    }
    for row in &rows {
        for word in row.never_say.iter().filter(|word| !in_code.contains(word.as_str())) {
            let Some((path, line)) = code.types.get(word) else { continue };
            let message = TidyMessage::new(
                format!("the type `{word}` is called by a word that the glossary refuses"),
                "one thing has one word",
                format!("use the word of {GLOSSARY}:{}, or change that line first", row.line),
            );
            report.find(path, *line, RULE, message);
        }
    }
}

struct GlossaryRow {
    in_code: Vec<String>,
    /// As type names: `time travel` is `TimeTravel`.
    never_say: Vec<String>,
    line: usize,
}

/// The rows of all tables that have a column "in code".
fn rows(text: &str) -> Vec<GlossaryRow> {
    let mut found = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(row) = line.strip_prefix('|') else {
            columns.clear();
            continue;
        };
        let cells: Vec<&str> = row.trim_end_matches('|').split('|').map(str::trim).collect();
        if columns.is_empty() {
            columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
            continue;
        }
        let cell = |name: &str| {
            let column = columns.iter().position(|column| column == name)?;
            cells.get(column).copied()
        };
        let Some(in_code) = cell("in code").filter(|cell| !cell.starts_with("--")) else {
            continue;
        };
        found.push(GlossaryRow {
            in_code: code_spans(in_code).into_iter().map(str::to_owned).collect(),
            never_say: cell("never say").map(type_names).unwrap_or_default(),
            line: index + 1,
        });
    }
    found
}

fn type_names(words: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut depth = 0_usize;
    for char in words.chars() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(char),
            _ => {}
        }
    }
    let phrases = plain.split(',').map(str::trim).filter(|phrase| !phrase.is_empty());
    phrases.map(|phrase| phrase.split([' ', '_']).map(capitalized).collect()).collect()
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What the code declares and mentions.
struct CodeNames {
    /// Where each type is declared.
    types: BTreeMap<String, (String, usize)>,
    identifiers: BTreeSet<String>,
    paths: BTreeSet<String>,
}

impl CodeNames {
    fn read(tree: &Tree) -> Self {
        let (mut declared, mut identifiers) = (BTreeMap::new(), BTreeSet::new());
        let mut paths = BTreeSet::new();
        for path in tree.paths() {
            paths.extend(path.split('/').map(str::to_owned));
        }
        let is_source = |path: &&str| path.contains("/src/");
        for path in tree.rust_paths().filter(is_source) {
            let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
            for declaration in types(&code) {
                declared.insert(declaration.name, (path.to_owned(), declaration.line));
            }
            let is_part = |char: char| char.is_alphanumeric() || char == '_';
            let words = code.split(|char| !is_part(char)).filter(|word| !word.is_empty());
            identifiers.extend(words.map(str::to_owned));
        }
        Self { types: declared, identifiers, paths }
    }

    /// Whether a name of the glossary exists: `Type`, `Type::part`, `function`, `folder/` or `file.txt`.
    fn contains(&self, name: &str) -> bool {
        let name = name.trim_end_matches('/');
        if self.paths.contains(name) {
            return true;
        }
        name.split("::").all(|part| self.identifiers.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn missing_names_and_refused_types_are_found() {
        let glossary = "# G\n| word | in code | never say |\n|---|---|---|\n\
                        | item | `Item`, `Item::id`, `deep/` | document, time travel (no: other) |\n\
                        | page | `Page` | document |\n";
        let code = "//! A.\npub struct Item { id: u8 }\npub struct Document;\nenum TimeTravel {}\n";
        let tree = Fixture::new("glossary-names")
            .file("docs/GLOSSARY.md", glossary)
            .file("a/src/lib.rs", code)
            .file("a/src/deep/mod.rs", "//! D.\n")
            .open();
        let refused = "is called by a word that the glossary refuses";
        let expected = [
            "docs/GLOSSARY.md:5: glossary-names: no code is called `Page`".to_owned(),
            format!("a/src/lib.rs:3: glossary-names: the type `Document` {refused}"),
            format!("a/src/lib.rs:4: glossary-names: the type `TimeTravel` {refused}"),
            format!("a/src/lib.rs:3: glossary-names: the type `Document` {refused}"),
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
