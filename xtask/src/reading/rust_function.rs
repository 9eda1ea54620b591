//! Where functions start and end, and which lines of a Rust file belong to tests.
//!
//! Reads the blanked code of `rust_text.rs`, so braces inside strings and comments do not count.

use std::ops::RangeInclusive;

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RustFunction {
    pub(crate) name: String,
    /// Line of the word `fn`, counted from one.
    pub(crate) line: usize,
    /// Lines from the word `fn` to the closing brace, both counted.
    pub(crate) lines: usize,
}

/// All functions of a file, nested ones too, in order of their first line.
pub(crate) fn functions(code: &str) -> Vec<RustFunction> {
    let chars: Vec<char> = code.chars().collect();
    let words = words(&chars);
    let mut found = Vec::new();
    for (word, next) in words.iter().zip(words.iter().skip(1)) {
        // A function type, `fn(u8)`, has a parenthesis between `fn` and the next word.
        if word.text != "fn" || !only_blanks(&chars, word.end, next.start) {
            continue;
        }
        let Some(end) = item_end(&chars, next.end) else {
            continue;
        };
        // A semicolon ends a declaration without a body, which has no length to measure.
        if chars.get(end) == Some(&'}') {
            let line = line_of(&chars, word.start);
            let lines = line_of(&chars, end) - line + 1;
            found.push(RustFunction { name: next.text.clone(), line, lines });
        }
    }
    found
}

/// How many lines belong to items marked with a test configuration, attribute included.
pub(crate) fn test_lines(code: &str) -> usize {
    test_ranges(code).iter().map(|range| range.end() - range.start() + 1).sum()
}

/// The lines of each item marked with a test configuration, counted from one, attribute included.
pub(crate) fn test_ranges(code: &str) -> Vec<RangeInclusive<usize>> {
    let chars: Vec<char> = code.chars().collect();
    let mut ranges = Vec::new();
    let mut covered = 0;
    for start in attribute_starts(&chars) {
        // A test configuration inside a counted item must not be counted twice.
        if start < covered {
            continue;
        }
        let Some(close) = closing(&chars, start + 1) else {
            continue;
        };
        let attribute: String = chars.iter().skip(start).take(close - start + 1).collect();
        if !is_test_configuration(&attribute) {
            continue;
        }
        if let Some(end) = item_end(&chars, close + 1) {
            ranges.push(line_of(&chars, start)..=line_of(&chars, end));
            covered = end;
        }
    }
    ranges
}

struct SourceWord {
    text: String,
    start: usize,
    end: usize,
}

fn words(chars: &[char]) -> Vec<SourceWord> {
    let mut words: Vec<SourceWord> = Vec::new();
    for (at, &char) in chars.iter().enumerate() {
        if !(char.is_alphanumeric() || char == '_') {
            continue;
        }
        match words.last_mut() {
            Some(word) if word.end == at => {
                word.text.push(char);
                word.end = at + 1;
            }
            _ => words.push(SourceWord { text: char.to_string(), start: at, end: at + 1 }),
        }
    }
    words
}

fn only_blanks(chars: &[char], from: usize, to: usize) -> bool {
    chars.iter().take(to).skip(from).all(|char| char.is_whitespace())
}

fn line_of(chars: &[char], at: usize) -> usize {
    chars.iter().take(at).filter(|&&char| char == '\n').count() + 1
}

/// The `;` or the `}` that ends the item whose text continues at `from`. Nothing inside brackets ends it.
fn item_end(chars: &[char], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(&char) = chars.get(at) {
        match char {
            ';' => return Some(at),
            '{' => return closing(chars, at),
            // The semicolon of an array type, `[u8; 3]`, is not the end of the item.
            '(' | '[' => at = closing(chars, at)?,
            ')' | ']' | '}' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The bracket that closes the one at `open`.
fn closing(chars: &[char], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, char) in chars.iter().enumerate().skip(open) {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn attribute_starts(chars: &[char]) -> Vec<usize> {
    let pairs = chars.iter().zip(chars.iter().skip(1)).enumerate();
    pairs.filter(|(_, pair)| *pair == (&'#', &'[')).map(|(at, _)| at).collect()
}

fn is_test_configuration(attribute: &str) -> bool {
    let dense: String = attribute.chars().filter(|char| !char.is_whitespace()).collect();
    dense == "#[cfg(test)]" || dense.starts_with("#[cfg(all(test,")
}

#[cfg(test)]
mod tests {
    use super::{functions, test_lines};

    fn check(code: &str, expected: &[(&str, usize, usize)]) {
        let found = functions(code);
        let found: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn functions_are_measured_from_fn_to_the_closing_brace() {
        check("fn a() {}\n\nfn b(\n  x: [u8; 3],\n) {\n  {}\n}\n", &[("a", 1, 1), ("b", 3, 5)]);
    }

    #[test]
    fn declarations_and_function_types_are_not_functions() {
        check("trait T { fn a(&self); }\nstruct S(fn(u8) -> u8);\n", &[]);
    }

    #[test]
    fn nested_functions_count_too() {
        check("fn a() {\n  fn b() {\n  }\n}\n", &[("a", 1, 4), ("b", 2, 2)]);
    }

    #[test]
    fn test_items_are_counted_with_their_attribute() {
        assert_eq!(test_lines("fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\n"), 4);
        assert_eq!(test_lines("#[cfg(test)]\nmod tests;\nfn a() {}\n"), 2);
        assert_eq!(test_lines("#[cfg(not(test))]\nmod a {}\n"), 0);
    }
}
