//! A LIKE pattern, read and matched.
//!
//! Owns the wildcards, the escape character and the walk over a text, whose cost is bounded by the product of the two
//! lengths. Does not own the classification: see `shape`.

/// A pattern ready to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LikePattern {
    pub(super) parts: Vec<PatternElement>,
}

/// One step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatternElement {
    /// This character.
    Literal(char),
    /// `_`: any one character.
    One,
    /// `%`: any run of characters, also none.
    Run,
    /// `[a-f]` or `[^a-f]`: one character inside, or outside, the ranges.
    Class { is_negated: bool, ranges: Vec<(char, char)> },
}

impl LikePattern {
    /// Reads a pattern; the escape character takes the meaning away from the character after it.
    #[must_use]
    pub fn new(text: &str, escape: Option<char>) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let mut parts = Vec::new();
        let mut rest = characters.as_slice();
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            let part = match first {
                _ if Some(first) == escape => match after.split_first() {
                    Some((&escaped, after)) => {
                        rest = after;
                        PatternElement::Literal(escaped)
                    }
                    None => PatternElement::Literal(first),
                },
                '%' => PatternElement::Run,
                '_' => PatternElement::One,
                '[' => match class(after, escape) {
                    Some((part, after)) => {
                        rest = after;
                        part
                    }
                    None => PatternElement::Literal(first),
                },
                _ => PatternElement::Literal(first),
            };
            // Two runs in a row match what one does.
            if part != PatternElement::Run || parts.last() != Some(&PatternElement::Run) {
                parts.push(part);
            }
        }
        Self { parts }
    }

    /// Whether the whole text fits the pattern.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let (mut part_place, mut text_place) = (0, 0);
        // Where the last run stands and where its text ends so far: only the last one ever needs to grow.
        let mut last_run: Option<(usize, usize)> = None;
        loop {
            match (self.parts.get(part_place), text.get(text_place)) {
                (Some(PatternElement::Run), _) => {
                    last_run = Some((part_place, text_place));
                    part_place += 1;
                    continue;
                }
                (Some(part), Some(&character)) if part.accepts(character) => {
                    part_place += 1;
                    text_place += 1;
                    continue;
                }
                (None, None) => return true,
                _ => {}
            }
            match last_run {
                Some((run_place, end)) if end < text.len() => {
                    last_run = Some((run_place, end + 1));
                    part_place = run_place + 1;
                    text_place = end + 1;
                }
                _ => return false,
            }
        }
    }
}

impl PatternElement {
    /// Whether one character fits; a run is no single step and fits none.
    fn accepts(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::One => true,
            Self::Run => false,
            Self::Class { is_negated, ranges } => {
                let inside = ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
                inside != *is_negated
            }
        }
    }
}

/// Reads a class up to its closing bracket; none when there is no such bracket.
fn class(text: &[char], escape: Option<char>) -> Option<(PatternElement, &[char])> {
    let (is_negated, mut rest) = match text.split_first() {
        Some(('^', rest)) => (true, rest),
        _ => (false, text),
    };
    let mut ranges = Vec::new();
    loop {
        let (&first, after) = rest.split_first()?;
        if first == ']' {
            return Some((PatternElement::Class { is_negated, ranges }, after));
        }
        let (low, after) = member(first, after, escape);
        rest = after;
        let high = match after {
            ['-', high, ..] if *high != ']' => {
                let (high, after) = member(*high, after.get(2..).unwrap_or_default(), escape);
                rest = after;
                high
            }
            _ => low,
        };
        ranges.push((low, high));
    }
}

/// One character of a class: itself, or the one after the escape character.
fn member(first: char, after: &[char], escape: Option<char>) -> (char, &[char]) {
    match after.split_first() {
        Some((&escaped, rest)) if Some(first) == escape => (escaped, rest),
        _ => (first, after),
    }
}
