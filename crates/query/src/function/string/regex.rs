//! REGEXMATCH, REGEXEXTRACT and REGEXEXTRACTALL.
//!
//! Owns modifiers, the limits on a pattern and on the work of one match, and the result of a match. Does not own the
//! regex engine. An invalid pattern, an unknown modifier and a match with too much backtracking are all undefined; a
//! pattern that is too large, alone or for its text, is an error.

use std::sync::Arc;

use fancy_regex::{Captures, CompileError, Error, Regex, RegexBuilder};

use crate::budget::{BudgetError, EvaluationBudget, TEXT_HEADER_BYTES, value_bytes};
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

/// The largest number of backtracking steps of one match, against patterns with exponential cost.
const BACKTRACK_STEPS_MAX: usize = 100_000;

/// The largest pattern, in bytes of its text.
const PATTERN_BYTES_MAX: usize = 16 * 1024;

/// Limits on the compiled size, tried from the smallest. The first that suffices bounds how many states a match may
/// visit for each byte of the text. The engine does not report the size itself.
const COMPILED_BYTES: [usize; 4] = [2 * 1024, 16 * 1024, 128 * 1024, 1024 * 1024];

/// The smallest size of a state of a compiled pattern, in bytes.
const STATE_BYTES: usize = 32;

/// The largest product of states and bytes of text. A match cannot be interrupted: this keeps the worst one below a
/// second, and leaves 4 MiB of text to short patterns, 512 KiB to ordinary ones, 64 KiB to those with large classes or
/// repetitions.
const MATCH_STEPS_MAX: u64 = 1 << 28;

/// Steps of a match that count as one unit of work.
const UNIT_STEPS: u64 = 256;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "REGEXMATCH", |arguments, context| {
        RegexSearch::new(arguments, context).and_then(|search| search.matches()).into()
    })
    .required(&["text", "pattern"])
    .optional(&["modifiers"])
    .index_use(IndexUse::FullScan)
    .returns(
        ReturnKind::Boolean,
        "Whether a text matches a regular expression; modifiers: `m` many lines, `s` dot matches \
         line ends, `i` ignore case, `x` ignore white space.",
    )
    .examples(&[
        example("\"abcd\", \"ABC\"", "false"),
        example("\"abcd\", \"ABC\", \"i\"", "true"),
        example("\"abcd\", \"ab.\", \"\"", "true"),
        example("\"abcd\", \"ab c\", \"x\"", "true"),
        example("\"abcd\", \"aB c\", \"ix\"", "true"),
        example("\"03a\", \"[0-9]\"", "true"),
        example("\"salt3824908\", \"salt{1}\"", "true"),
        example("\"shame\", \"s....\", \"i\"", "true"),
        example("\"abab\", \"(ab)\\\\1\"", "true"),
        example("\"a\", \"(\"", "undefined"),
        example("\"a\", \"a\", \"q\"", "undefined"),
        example("1, \"a\"", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "REGEXEXTRACT", |arguments, context| {
        RegexSearch::new(arguments, context).and_then(|search| search.first(context)).into()
    })
    .required(&["text", "pattern"])
    .optional(&["modifiers", "group"])
    .undocumented()
    .returns(ReturnKind::String, "The first match of a regular expression, or one group of it.")
    .examples(&[
        example("\"a12b34\", \"[0-9]+\"", "\"12\""),
        example("\"a12b34\", \"([a-z])([0-9]+)\", \"\", 2", "\"12\""),
        example("\"abc\", \"[0-9]\"", "undefined"),
        example("\"abc\", \"b\", \"\", 1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "REGEXEXTRACTALL", |arguments, context| {
        RegexSearch::new(arguments, context).and_then(|search| search.all(context)).into()
    })
    .required(&["text", "pattern"])
    .optional(&["modifiers", "group"])
    .undocumented()
    .returns(ReturnKind::Array, "All matches of a regular expression, or one group of each.")
    .examples(&[
        example("\"a12b34\", \"[0-9]+\"", "[\"12\",\"34\"]"),
        example("\"a12b34\", \"([a-z])[0-9]+\", \"\", 1", "[\"a\",\"b\"]"),
        example("\"abc\", \"[0-9]\"", "[]"),
    ]),
];

/// A compiled regular expression.
#[derive(Debug)]
pub(in crate::function) struct RegexPattern {
    regex: Regex,
    /// The largest number of states of the compiled pattern.
    states_max: u64,
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
                Ok(regex) => {
                    let states_max = (bytes_max / STATE_BYTES) as u64;
                    return Some(Some(Self { regex, states_max }));
                }
                Err(error) if is_too_large(&error) => {}
                Err(_) => return Some(None),
            }
        }
        budget.refuse(BudgetError::PatternTooLarge { bytes_max: PATTERN_BYTES_MAX });
        None
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

/// The text of a call, its pattern and the requested group; group 0 is the whole match.
struct RegexSearch<'call> {
    text: &'call str,
    pattern: Arc<RegexPattern>,
    group: usize,
}

impl<'call> RegexSearch<'call> {
    fn new(arguments: &'call [Value], context: &CallContext<'_>) -> Option<Self> {
        let text = argument::text(arguments, 0)?;
        let modifiers = argument::text_or(arguments, 2, "")?;
        let group = usize::try_from(argument::integer_or(arguments, 3, 0)?).ok()?;
        let pattern = argument::text(arguments, 1)?;
        let pattern = context.patterns.get(pattern, modifiers, context.budget)?;
        let steps = pattern.states_max.saturating_mul(text.len() as u64);
        if steps > MATCH_STEPS_MAX {
            context.budget.refuse(BudgetError::MatchTooLarge { text_bytes: text.len() });
            return None;
        }
        context.budget.work(steps / UNIT_STEPS)?;
        Some(Self { text, pattern, group })
    }

    fn matches(&self) -> Option<bool> {
        // An error means that the limit on backtracking was reached.
        self.pattern.regex.is_match(self.text).ok()
    }

    fn first(&self, context: &CallContext<'_>) -> Option<Value> {
        context.budget.build(self.text.len())?;
        self.group_of(&self.pattern.regex.captures(self.text).ok()??)
    }

    fn all(&self, context: &CallContext<'_>) -> Option<Value> {
        let mut found = Vec::new();
        // A group that took no part in the match adds nothing.
        for captures in self.pattern.regex.captures_iter(self.text) {
            let Some(value) = self.group_of(&captures.ok()?) else { continue };
            context.budget.build(value_bytes(&value) + TEXT_HEADER_BYTES)?;
            found.push(value);
        }
        Some(Value::array(found))
    }

    fn group_of(&self, captures: &Captures<'_, str>) -> Option<Value> {
        captures.get(self.group).map(|group| Value::from(group.as_str()))
    }
}
