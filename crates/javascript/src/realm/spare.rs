//! Realms that are ready before they are needed: blank ones, and ones in which the scripts used last are compiled.
//!
//! Owns a few of both, made after a run was answered, so that the next one waits neither for its realm nor for the
//! compiler. They are not reused: each leaves this place once, for one run, and no script has run in it before.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::script_runtime::{ScriptFailure, ScriptLimits, ScriptSource};

use super::limited::BlankRealm;

/// Blank realms at most.
const BLANK_MAX: usize = 4;
/// Realms with compiled scripts at most; the oldest makes room.
const COMPILED_MAX: usize = 16;
/// Realms with the same scripts at most.
const SAME_MAX: usize = 2;
/// Bytes of scripts that are compiled in advance at most: a long script is seldom, and its realm is large.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// A realm for one run or one request.
pub(crate) struct SpareRealm {
    pub(crate) realm: BlankRealm,
    /// Whether the scripts that were asked for are compiled in it.
    pub(crate) is_compiled: bool,
}

/// Realms that wait for a run.
#[derive(Default)]
pub(crate) struct SpareRealms {
    state: Mutex<WaitingRealms>,
}

#[derive(Default)]
struct WaitingRealms {
    blank: Vec<BlankRealm>,
    /// Oldest first.
    compiled: VecDeque<(CompiledScripts, BlankRealm)>,
    /// What was used since realms were made the last time.
    used: VecDeque<CompiledScripts>,
}

/// The scripts that a realm is made for. Texts and not versions: the same text is the same script in every container.
#[derive(Clone, PartialEq, Eq)]
struct CompiledScripts {
    sources: Vec<ScriptSource>,
    limits: ScriptLimits,
}

impl SpareRealms {
    /// A realm for scripts: with them, blank, or a new one.
    pub(crate) fn take(
        &self,
        sources: &[ScriptSource],
        limits: ScriptLimits,
    ) -> Result<SpareRealm, ScriptFailure> {
        let blank = {
            let mut state = self.lock();
            let is_same = |scripts: &CompiledScripts| {
                scripts.limits == limits && scripts.sources.as_slice() == sources
            };
            let place = state.compiled.iter().position(|(scripts, _)| is_same(scripts));
            if let Some((scripts, realm)) = place.and_then(|place| state.compiled.remove(place)) {
                state.note_use(scripts);
                return Ok(SpareRealm { realm, is_compiled: true });
            }
            let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
            if bytes <= TEXT_BYTES_MAX && !state.used.iter().any(is_same) {
                state.note_use(CompiledScripts { sources: sources.to_vec(), limits });
            }
            state.blank.pop()
        };
        let realm = blank.map_or_else(BlankRealm::new, Ok)?;
        Ok(SpareRealm { realm, is_compiled: false })
    }

    /// Makes a realm: for scripts that were used, or a blank one unless there are enough. A failure is left to the run
    /// that needs one.
    pub(crate) fn fill(&self) {
        let (scripts, blank) = {
            let mut state = self.lock();
            let scripts = state.next_used();
            if scripts.is_none() && state.blank.len() >= BLANK_MAX {
                return;
            }
            let blank = scripts.as_ref().and_then(|_| state.blank.pop());
            (scripts, blank)
        };
        let Ok(realm) = blank.map_or_else(BlankRealm::new, Ok) else { return };
        let Some(scripts) = scripts else {
            return self.lock().keep_blank(realm);
        };
        if let Some(realm) = realm.with_compiled(&scripts.sources, scripts.limits) {
            self.lock().keep_compiled(scripts, realm);
        }
    }

    fn lock(&self) -> MutexGuard<'_, WaitingRealms> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingRealms {
    fn note_use(&mut self, scripts: CompiledScripts) {
        if self.used.len() >= COMPILED_MAX {
            self.used.pop_front();
        }
        self.used.push_back(scripts);
    }

    /// The next scripts of which there are too few realms.
    fn next_used(&mut self) -> Option<CompiledScripts> {
        while let Some(scripts) = self.used.pop_front() {
            let same = self.compiled.iter().filter(|(known, _)| *known == scripts).count();
            if same < SAME_MAX {
                return Some(scripts);
            }
        }
        None
    }

    fn keep_blank(&mut self, realm: BlankRealm) {
        if self.blank.len() < BLANK_MAX {
            self.blank.push(realm);
        }
    }

    fn keep_compiled(&mut self, scripts: CompiledScripts, realm: BlankRealm) {
        if self.compiled.len() >= COMPILED_MAX {
            self.compiled.pop_front();
        }
        self.compiled.push_back((scripts, realm));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LIMITS: ScriptLimits = ScriptLimits {
        time_max: Duration::from_secs(1),
        memory_bytes_max: 4 << 20,
        stack_bytes_max: 128 << 10,
        output_bytes_max: 1 << 20,
        operations_max: 8,
        log_bytes_max: 1024,
    };

    fn source(text: &str) -> [ScriptSource; 1] {
        [ScriptSource { name: "s".to_owned(), text: text.into() }]
    }

    /// Whether the second run of a script finds it compiled.
    fn is_compiled_in_advance(text: &str) -> bool {
        let realms = SpareRealms::default();
        assert!(!realms.take(&source(text), LIMITS).unwrap().is_compiled);
        realms.fill();
        realms.take(&source(text), LIMITS).unwrap().is_compiled
    }

    #[test]
    fn a_script_that_was_used_is_compiled_for_the_next_run() {
        for text in ["function a(x) { return x; }", "x => x", "async function () {} // end"] {
            assert!(is_compiled_in_advance(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_would_run_while_it_is_compiled_is_not_compiled_in_advance() {
        for text in [
            // Not a function alone.
            "var cache = {}; function a() {}",
            // Closes the brackets around it.
            "1)); globalThis.x = 1; (()=>(2",
            "1]); globalThis.x = 1; (()=>[2",
            "1\n)), globalThis.x = 1, (()=>(function () {}",
            // A comment in a script, an operator in a module.
            "a <!--b.c,((0\n)); globalThis.x = 1; (()=>(2\n <!--b.c,))",
            "function () {} /*",
            "not a script",
        ] {
            assert!(!is_compiled_in_advance(text), "{text}");
        }
        assert!(!is_compiled_in_advance(&format!("function () {{ /*{}*/ }}", "x".repeat(65_536))));
    }

    #[test]
    fn another_text_or_other_limits_have_their_own_realm() {
        let realms = SpareRealms::default();
        realms.take(&source("x => 1"), LIMITS).unwrap();
        realms.fill();
        assert!(!realms.take(&source("x => 2"), LIMITS).unwrap().is_compiled);
        let smaller = ScriptLimits { memory_bytes_max: 1 << 20, ..LIMITS };
        assert!(!realms.take(&source("x => 1"), smaller).unwrap().is_compiled);
        assert!(realms.take(&source("x => 1"), LIMITS).unwrap().is_compiled);
        assert!(!realms.take(&source("x => 1"), LIMITS).unwrap().is_compiled);
    }

    #[test]
    fn the_number_of_waiting_realms_is_bounded() {
        let realms = SpareRealms::default();
        for round in 0..3 * COMPILED_MAX {
            for _ in 0..3 {
                realms.take(&source(&format!("x => {round}")), LIMITS).unwrap();
            }
            for _ in 0..3 {
                realms.fill();
            }
        }
        let state = realms.lock();
        assert!(state.compiled.len() <= COMPILED_MAX && state.blank.len() <= BLANK_MAX);
        assert!(state.used.len() <= COMPILED_MAX);
    }
}
