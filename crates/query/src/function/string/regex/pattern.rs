//! A compiled regular expression and its limits.
//!
//! Owns compiling, and how much text a pattern may be matched with. Does not own the regex engines.
//!
//! A plain pattern is matched byte by byte and can be interrupted (`stepped`). Everything else is one call of an engine
//! that cannot be interrupted, so that its work is bounded before it begins: at worst some tens of milliseconds.

use fancy_regex::{CompileError, Error, Regex, RegexBuilder};

use super::plain::{is_plain, lookaround_levels};
use super::stepped::SteppedMatcher;
use crate::budget::{BudgetError, EvaluationBudget};

/// The largest number of backtracking steps of one match, against patterns with exponential cost. One step may search
/// through the rest of the text, which is short then: see [`RegexPattern::whole_match_units`].
const BACKTRACK_STEPS_MAX: usize = 10_000;

/// The largest pattern, in bytes of its text.
const PATTERN_BYTES_MAX: usize = 16 * 1024;

/// Limits on the compiled size, tried from the smallest. The first that suffices bounds how many states a match may
/// visit for each byte of the text. The engine does not report the size itself.
const COMPILED_BYTES: [usize; 4] = [2 * 1024, 16 * 1024, 128 * 1024, 1024 * 1024];

/// The smallest size of a state of a compiled pattern, in bytes.
const STATE_BYTES: usize = 32;

/// The largest product of states and bytes of text of a plain pattern, if it is matched by one call: 256 KiB of text for
/// short patterns, 32 KiB for ordinary ones.
const PLAIN_STEPS_MAX: u64 = 1 << 24;

/// The largest product of states and bytes of text, each byte as often as look-around can look at it: 2 KiB of text for
/// short patterns, 700 bytes for ordinary ones. The engine visits few of the states: each of them is cheap.
const LOOKAROUND_STEPS_MAX: u64 = 1 << 28;

/// Steps of a match that count as one unit of work.
pub(super) const UNIT_STEPS: u64 = 256;

/// A compiled regular expression.
#[derive(Debug)]
pub(in crate::function) struct RegexPattern {
    pub(super) regex: Regex,
    /// How to match it step by step, if it is plain.
    pub(super) stepped: Option<SteppedMatcher>,
    /// The largest number of states of the compiled pattern.
    states_max: u64,
    /// How often a match may look at each byte: the power of the length of the text. None for plain patterns.
    lookaround_levels: Option<u32>,
}

impl RegexPattern {
    /// Compiles a pattern with its modifiers; `Some(None)` if either is invalid, `None` if the pattern is too large.
    pub(in crate::function) fn new(
        pattern: &str,
        modifiers: &str,
        budget: &EvaluationBudget,
    ) -> Option<Option<Self>> {
        // Any number of repeated modifiers means the same as each once.
        if !modifiers.chars().all(|modifier| "msix".contains(modifier)) {
            return Some(None);
        }
        if pattern.len() > PATTERN_BYTES_MAX {
            budget.refuse(BudgetError::PatternTooLarge { bytes_max: PATTERN_BYTES_MAX });
            return None;
        }
        let flagged = if modifiers.is_empty() {
            pattern.to_owned()
        } else {
            // As inline flags in front of the pattern. Repeated letters are removed, since the syntax refuses them.
            format!("(?{}){pattern}", distinct(modifiers))
        };
        for bytes_max in COMPILED_BYTES {
            let built = RegexBuilder::new(&flagged)
                .backtrack_limit(BACKTRACK_STEPS_MAX)
                .delegate_size_limit(bytes_max)
                .build();
            match built {
                Ok(regex) => return Some(Some(Self::compiled(regex, &flagged, bytes_max))),
                Err(error) if is_too_large(&error) => {}
                Err(_) => return Some(None),
            }
        }
        budget.refuse(BudgetError::PatternTooLarge { bytes_max: PATTERN_BYTES_MAX });
        None
    }

    fn compiled(regex: Regex, pattern: &str, bytes_max: usize) -> Self {
        let is_plain = is_plain(pattern);
        Self {
            regex,
            stepped: is_plain.then(|| SteppedMatcher::new(pattern, COMPILED_BYTES[3])).flatten(),
            states_max: (bytes_max / STATE_BYTES) as u64,
            lookaround_levels: (!is_plain).then(|| lookaround_levels(pattern)),
        }
    }

    /// The units of work of a match that cannot be interrupted; `None` if it might take too long.
    pub(super) fn whole_match_units(&self, text_bytes: usize) -> Option<u64> {
        let bytes = text_bytes as u64;
        let (looks, steps_max) = match self.lookaround_levels {
            None => (bytes, PLAIN_STEPS_MAX),
            // A repetition of a group that looks ahead reads the text once per byte; nested, once more per level.
            Some(levels) => {
                (bytes.saturating_pow(levels.max(1).saturating_add(1)), LOOKAROUND_STEPS_MAX)
            }
        };
        let steps = self.states_max.saturating_mul(looks);
        (steps <= steps_max).then_some(steps / UNIT_STEPS)
    }
}

/// Whether a pattern is valid, but compiles to more than the limit.
fn is_too_large(error: &Error) -> bool {
    match error {
        Error::CompileError(error) => {
            matches!(&**error, CompileError::InnerError(inner) if inner.size_limit().is_some())
        }
        _ => false,
    }
}

/// An upper bound of the size of a compiled pattern. A pattern that only the backtracking engine can match is compiled
/// in parts, each within the limit.
pub(in crate::function) fn compiled_bytes_max(pattern: &str) -> usize {
    let parts = 1
        + ["(?=", "(?!", "(?<", "(?>", "(?("]
            .map(|part| pattern.matches(part).count())
            .iter()
            .sum::<usize>()
        + pattern.matches('\\').count();
    let is_short = !pattern.contains(['{', '\\', '[', '.']);
    let part_bytes = if is_short { 64 * (pattern.len() + 64) } else { COMPILED_BYTES[3] };
    // A part is never larger than what all of its text could compile to.
    parts.min(pattern.len() + 1).saturating_mul(part_bytes)
}

/// Removes repeated modifiers.
fn distinct(modifiers: &str) -> String {
    "msix".chars().filter(|modifier| modifiers.contains(*modifier)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> RegexPattern {
        RegexPattern::new(text, "", &EvaluationBudget::unlimited()).unwrap().unwrap()
    }

    #[test]
    fn only_short_texts_are_matched_by_a_call_that_cannot_be_interrupted() {
        let plain = pattern("(a|b)*c");
        assert!(plain.whole_match_units(256 << 10).is_some());
        assert_eq!(plain.whole_match_units((256 << 10) + 1), None);
        let looks = pattern("(?:(?=a*)a)*b");
        assert!(looks.whole_match_units(2048).is_some());
        assert_eq!(looks.whole_match_units(2049), None);
        // The text may be read once more for each level.
        let nested = pattern("(?:(?=(?:(?=a*)a)*)a)*b");
        assert!(nested.whole_match_units(161).is_some());
        assert_eq!(nested.whole_match_units(162), None);
    }

    #[test]
    fn plain_patterns_are_matched_in_steps() {
        for (text, is_plain) in [("a+b", true), (r"\w+@\w+\.com", true), (r"(a)\1", false)] {
            assert_eq!(pattern(text).stepped.is_some(), is_plain, "{text}");
        }
    }
}
