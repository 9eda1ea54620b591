//! Parsing and matching a LIKE pattern.
//!
//! Owns the wildcards, the escape character and the matcher, whose cost is bounded by the product of both lengths. Does
//! not own the classification: see `shape`.

/// A pattern ready to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LikePattern {
    pub(super) parts: Vec<PatternElement>,
}

/// One element of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatternElement {
    /// This character.
    Literal(char),
    /// `_`: any one character.
    One,
    /// `%`: any number of characters, including none.
    Run,
    /// `[a-f]` or `[^a-f]`: one character inside, or outside, the ranges, which are sorted and do not overlap.
    Class { is_negated: bool, ranges: Vec<(char, char)> },
}

impl LikePattern {
    /// Parses a pattern. The character after the escape character is literal.
    #[must_use]
    pub fn new(text: &str, escape: Option<char>) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let mut parts = Vec::new();
        let mut rest = characters.as_slice();
        let mut unclosed = UnclosedClasses::default();
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
                '[' => match class(after, escape, &mut unclosed) {
                    Some((part, after)) => {
                        rest = after;
                        part
                    }
                    None => PatternElement::Literal(first),
                },
                _ => PatternElement::Literal(first),
            };
            // `%%` matches the same as `%`, but would double the backtracking.
            if part != PatternElement::Run || parts.last() != Some(&PatternElement::Run) {
                parts.push(part);
            }
        }
        Self { parts }
    }

    /// Bytes of a compiled pattern for each byte of its text: one element, and one character while it is parsed.
    pub(crate) const ELEMENT_BYTES: usize = size_of::<PatternElement>() + size_of::<char>();

    /// Whether the whole string matches the pattern.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.matches_while(text, |_| true).unwrap_or(false)
    }

    /// The same, but `goes_on` is asked from time to time, with the number of steps since it was asked last; `None` if
    /// it ended the match.
    pub(crate) fn matches_while(
        &self,
        text: &str,
        mut goes_on: impl FnMut(u64) -> bool,
    ) -> Option<bool> {
        /// Steps between two questions.
        const STEPS: u64 = 4096;
        let text: Vec<char> = text.chars().collect();
        let mut steps = 0;
        let (mut element, mut position) = (0, 0);
        // The last `%` seen and the end of the text it covers. Backtracking to earlier ones is never needed: what the
        // last `%` can cover includes every way in which an earlier one could have covered more.
        let mut last_run: Option<(usize, usize)> = None;
        loop {
            steps += 1;
            if steps == STEPS {
                steps = 0;
                if !goes_on(STEPS) {
                    return None;
                }
            }
            match (self.parts.get(element), text.get(position)) {
                (Some(PatternElement::Run), _) => {
                    last_run = Some((element, position));
                    element += 1;
                    continue;
                }
                (Some(part), Some(&character)) if part.accepts(character) => {
                    element += 1;
                    position += 1;
                    continue;
                }
                (None, None) => return Some(true),
                _ => {}
            }
            match last_run {
                // `%` takes one more character and everything after it is matched again.
                Some((run, end)) if end < text.len() => {
                    last_run = Some((run, end + 1));
                    element = run + 1;
                    position = end + 1;
                }
                _ => return Some(false),
            }
        }
    }
}

impl PatternElement {
    /// Whether a single character matches; `%` matches no single character.
    fn accepts(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::One => true,
            Self::Run => false,
            Self::Class { is_negated, ranges } => {
                let next = ranges.partition_point(|(low, _)| *low <= character);
                let range = next.checked_sub(1).and_then(|last| ranges.get(last));
                let inside = range.is_some_and(|(_, high)| character <= *high);
                inside != *is_negated
            }
        }
    }
}

/// The places inside a pattern from which no closing bracket is reached, by the number of characters after them.
/// Without them, every opening bracket that is never closed would read the whole rest: quadratic in its length.
#[derive(Default)]
struct UnclosedClasses {
    places: Vec<bool>,
}

impl UnclosedClasses {
    fn contains(&self, place: usize) -> bool {
        self.places.get(place).copied().unwrap_or(false)
    }

    fn add(&mut self, visited: &[usize]) {
        // The first place is the farthest from the end.
        let places = visited.first().map_or(0, |first| first + 1);
        self.places.resize(places.max(self.places.len()), false);
        for place in visited {
            if let Some(place) = self.places.get_mut(*place) {
                *place = true;
            }
        }
    }
}

/// Parses a class up to its closing bracket; `None` if there is none.
fn class<'text>(
    text: &'text [char],
    escape: Option<char>,
    unclosed: &mut UnclosedClasses,
) -> Option<(PatternElement, &'text [char])> {
    let (is_negated, mut rest) = match text.split_first() {
        Some(('^', rest)) => (true, rest),
        _ => (false, text),
    };
    let (mut ranges, mut visited) = (Vec::new(), Vec::new());
    loop {
        let next = rest.split_first().filter(|_| !unclosed.contains(rest.len()));
        let Some((&first, after)) = next else {
            unclosed.add(&visited);
            return None;
        };
        visited.push(rest.len());
        if first == ']' {
            let ranges = disjoint(ranges);
            return Some((PatternElement::Class { is_negated, ranges }, after));
        }
        let (low, after) = member(first, after, escape);
        rest = after;
        let high = match after {
            // A dash at the end is literal: `[a-]`.
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

/// Sorts ranges and merges those that overlap, so that a character is found by a binary search. A reversed range such
/// as `[f-a]` contains nothing.
fn disjoint(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.retain(|(low, high)| low <= high);
    ranges.sort_unstable();
    let mut merged: Vec<(char, char)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match merged.last_mut() {
            Some((_, end)) if low <= *end => *end = high.max(*end),
            _ => merged.push((low, high)),
        }
    }
    merged
}

/// Reads one character of a class, or the one after the escape character.
fn member(first: char, after: &[char], escape: Option<char>) -> (char, &[char]) {
    match after.split_first() {
        Some((&escaped, rest)) if Some(first) == escape => (escaped, rest),
        _ => (first, after),
    }
}
