//! Check 8: a `mod.rs` holds only docs, attributes, `mod` lines and `use` lines.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree};

const RULE: &str = "module-files";

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for path in tree.rust_paths().filter(|path| path.ends_with("/mod.rs")) {
        let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
        if let Some(line) = first_foreign_line(&code) {
            let message = TidyMessage::new(
                "something else than docs, attributes, `mod` and `use`",
                "`mod.rs` is the table of contents of its folder, and code hides in it",
                "move the code to a file named after what it is",
            );
            report.find(path, line, RULE, message);
        }
    }
}

/// The line of the first item that does not belong.
fn first_foreign_line(code: &str) -> Option<usize> {
    let code = without_attributes(code);
    let mut line = 1;
    for item in code.split(';') {
        let start = item.len() - item.trim_start().len();
        let (blanks, words) = item.split_at(start);
        if !words.is_empty() && !is_listing(words) {
            return Some(line + blanks.matches('\n').count());
        }
        line += item.matches('\n').count();
    }
    None
}

/// `mod name` or `use path`, with or without a visibility.
fn is_listing(item: &str) -> bool {
    let item = match item.strip_prefix("pub") {
        Some(rest) => match rest.trim_start().strip_prefix('(') {
            Some(inside) => inside.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        },
        None => item,
    };
    let item = item.trim_start();
    item.starts_with("use ") || (item.starts_with("mod ") && !item.contains('{'))
}

/// Blanks attributes, keeping the lines.
fn without_attributes(code: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0_usize;
    let mut chars = code.chars().peekable();
    while let Some(char) = chars.next() {
        if depth == 0 && char == '#' && matches!(chars.peek(), Some('[' | '!')) {
            if chars.peek() == Some(&'!') {
                chars.next();
            }
            chars.next();
            depth = 1;
        } else if depth > 0 {
            match char {
                '[' => depth += 1,
                ']' => depth -= 1,
                '\n' => kept.push('\n'),
                _ => {}
            }
        } else {
            kept.push(char);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    const GOOD: &str = "//! Doc.\n#![allow(dead_code)]\n\nmod a;\n#[cfg(test)]\nmod tests;\n\
                        pub mod b;\npub(crate) use a::{\n    A,\n    B,\n};\npub use b::*;\n";

    #[test]
    fn code_in_a_module_file_is_found() {
        let tree = Fixture::new("module-files")
            .file("a/src/good/mod.rs", GOOD)
            .file("a/src/bad/mod.rs", "//! Doc.\nmod a;\n\n#[inline]\npub fn code() {}\n")
            .file("a/src/inline/mod.rs", "//! Doc.\nmod a { fn b() {} }\n")
            .file("a/src/free.rs", "//! Doc.\nfn a() {}\n")
            .open();
        let what = "something else than docs, attributes, `mod` and `use`";
        let expected = [
            format!("a/src/bad/mod.rs:5: module-files: {what}"),
            format!("a/src/inline/mod.rs:2: module-files: {what}"),
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
