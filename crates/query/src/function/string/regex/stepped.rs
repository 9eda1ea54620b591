//! Matching a plain pattern byte by byte, within the budget of a request.
//!
//! Owns the walk through a lazily built automaton: each byte visits at most all states of the pattern, and work is
//! asked for before each part of the text. Does not own which patterns are plain.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};

use super::pattern::UNIT_STEPS;
use crate::budget::EvaluationBudget;

/// Bytes of states that a walk may keep. Beyond it, states are forgotten and built again.
const CACHE_BYTES_MAX: usize = 256 * 1024;

/// Steps between two calls of the budget, about a millisecond if every byte builds a new state.
const PART_STEPS_MAX: u64 = 1 << 18;

/// The largest part of a text.
const PART_BYTES_MAX: u64 = 4096;

/// A pattern as an automaton.
pub(super) struct SteppedMatcher {
    automaton: DFA,
    /// States that were built by earlier walks.
    cache: Mutex<Option<Cache>>,
    states: u64,
}

impl SteppedMatcher {
    /// Builds the automaton; `None` if the pattern does not suit it.
    pub(super) fn new(pattern: &str, bytes_max: usize) -> Option<Self> {
        let states = thompson::Config::new()
            .nfa_size_limit(Some(bytes_max))
            .which_captures(WhichCaptures::None);
        let config = DFA::config()
            .unicode_word_boundary(true)
            .cache_capacity(CACHE_BYTES_MAX)
            .skip_cache_capacity_check(true);
        let automaton = DFA::builder().configure(config).thompson(states).build(pattern).ok()?;
        let states = automaton.get_nfa().states().len() as u64;
        Some(Self { automaton, cache: Mutex::new(None), states })
    }

    /// Whether the text matches. `None` if the budget refuses, `Some(None)` if the automaton cannot decide: word
    /// boundaries beside other letters than those of ASCII.
    pub(super) fn search(&self, text: &str, budget: &EvaluationBudget) -> Option<Option<bool>> {
        let taken = self.lock().take();
        let mut cache = taken.unwrap_or_else(|| self.automaton.create_cache());
        let matches = self.walk(text.as_bytes(), &mut cache, budget);
        *self.lock() = Some(cache);
        matches
    }

    fn walk(
        &self,
        text: &[u8],
        cache: &mut Cache,
        budget: &EvaluationBudget,
    ) -> Option<Option<bool>> {
        let Ok(mut state) = self.automaton.start_state_forward(cache, &Input::new(text)) else {
            return Some(None);
        };
        let part = (PART_STEPS_MAX / self.states.max(1)).clamp(1, PART_BYTES_MAX);
        for bytes in text.chunks(usize::try_from(part).unwrap_or(usize::MAX)) {
            budget.work(self.states.saturating_mul(bytes.len() as u64) / UNIT_STEPS + 1)?;
            for byte in bytes {
                let Ok(next) = self.automaton.next_state(cache, state, *byte) else {
                    return Some(None);
                };
                state = next;
                if state.is_tagged() {
                    if state.is_match() {
                        return Some(Some(true));
                    }
                    if state.is_dead() {
                        return Some(Some(false));
                    }
                    if state.is_quit() {
                        return Some(None);
                    }
                }
            }
        }
        // A match is seen one byte late.
        match self.automaton.next_eoi_state(cache, state) {
            Ok(end) if end.is_quit() => Some(None),
            Ok(end) => Some(Some(end.is_match())),
            Err(_) => Some(None),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Cache>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SteppedMatcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SteppedMatcher")
            .field("states", &self.states)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use fancy_regex::Regex;

    use super::*;
    use crate::budget::{Interruption, SLICE_UNITS, WorkGovernor};

    /// Grants slices up to a number.
    #[derive(Debug)]
    struct Slices(AtomicU64, u64);

    impl WorkGovernor for Slices {
        fn next_slice(&self, _granted: u64) -> Result<u64, Interruption> {
            let granted = self.0.fetch_add(1, Ordering::SeqCst);
            if granted < self.1 { Ok(SLICE_UNITS) } else { Err(Interruption::Cancelled) }
        }

        fn allow_bytes(&self, _bytes: usize) -> Result<(), Interruption> {
            Ok(())
        }

        fn return_bytes(&self, _bytes: usize) {}
    }

    #[test]
    fn a_match_of_a_long_text_asks_for_every_slice_and_ends_when_it_is_refused() {
        // Each byte builds a state: the automaton forgets them all the time.
        let matcher = SteppedMatcher::new("(a|b)*a(a|b){100}c", 1 << 20).unwrap();
        let text: String =
            (0_u64..2 << 20).map(|n| if (n * n / 7) % 3 == 0 { 'a' } else { 'b' }).collect();
        let slices = Arc::new(Slices(AtomicU64::new(0), 5));
        let governor: Arc<dyn WorkGovernor> = Arc::clone(&slices) as _;
        let budget = EvaluationBudget::new(usize::MAX, &governor);
        assert_eq!(matcher.search(&text, &budget), None);
        assert_eq!(slices.0.load(Ordering::SeqCst), 6, "nothing was done after the refusal");
        let interrupted = crate::budget::BudgetError::Interrupted(Interruption::Cancelled);
        assert_eq!(budget.take_refusal(), Err(interrupted));
    }

    #[test]
    fn the_automaton_decides_as_the_other_engine_does() {
        let budget = EvaluationBudget::unlimited();
        let patterns = [
            "abc",
            "^abc$",
            "a.c",
            "a|bc?d",
            r"\d+-\d{2}",
            r"\bword\b",
            "(?i)STRASSE",
            r"[^a-z]\s",
            r"\p{Lu}",
            "a{2,3}$",
            "",
            "x*",
            "(?m)^b$",
            r"\.com\z",
            "(a|ab)(c|bcd)",
            "[a-c&&b-d]",
        ];
        let texts = [
            "",
            "abc",
            "xabcx",
            "a\nc",
            "bd",
            "12-34",
            "a word.",
            "aword",
            "straße",
            "Strasse",
            "A ",
            "É",
            "aaaa",
            "a\nb\nc",
            "example.com",
            "abcd",
            "wörd word",
        ];
        for pattern in patterns {
            let (matcher, regex) =
                (SteppedMatcher::new(pattern, 1 << 20).unwrap(), Regex::new(pattern).unwrap());
            for text in texts {
                if let Some(matches) = matcher.search(text, &budget).unwrap() {
                    assert_eq!(matches, regex.is_match(text).unwrap(), "{pattern} on {text}");
                } else {
                    assert!(pattern.contains(r"\b") && !text.is_ascii(), "{pattern} on {text}");
                }
            }
        }
    }
}
