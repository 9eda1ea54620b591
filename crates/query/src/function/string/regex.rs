//! REGEXMATCH, REGEXEXTRACT and REGEXEXTRACTALL.
//!
//! Owns modifiers, the limit on the work of one match, and the result of a match. Does not own the regex engine. An
//! invalid pattern, an unknown modifier and a match beyond the limit are all undefined.

use std::sync::Arc;

use fancy_regex::{Captures, Regex, RegexBuilder};

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

/// The largest number of backtracking steps of one match, against patterns with exponential cost.
const BACKTRACK_STEPS_MAX: usize = 100_000;

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
        RegexSearch::new(arguments, context).and_then(|search| search.first()).into()
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
        RegexSearch::new(arguments, context).and_then(|search| search.all()).into()
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
pub(in crate::function) struct RegexPattern(Regex);

impl RegexPattern {
    /// Compiles a pattern with its modifiers; `None` if either is invalid.
    pub(in crate::function) fn new(pattern: &str, modifiers: &str) -> Option<Self> {
        if !modifiers.chars().all(|modifier| "msix".contains(modifier)) {
            return None;
        }
        let flagged = if modifiers.is_empty() {
            pattern.to_owned()
        } else {
            // As inline flags in front of the pattern. Repeated letters are removed, since the syntax refuses them.
            format!("(?{}){pattern}", distinct(modifiers))
        };
        RegexBuilder::new(&flagged).backtrack_limit(BACKTRACK_STEPS_MAX).build().ok().map(Self)
    }
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
        let pattern = context.patterns.get(argument::text(arguments, 1)?, modifiers)?;
        Some(Self { text, pattern, group })
    }

    fn matches(&self) -> Option<bool> {
        // An error means that the limit on backtracking was reached.
        self.pattern.0.is_match(self.text).ok()
    }

    fn first(&self) -> Option<Value> {
        self.group_of(&self.pattern.0.captures(self.text).ok()??)
    }

    fn all(&self) -> Option<Value> {
        let mut found = Vec::new();
        for captures in self.pattern.0.captures_iter(self.text) {
            // A group that took no part in the match adds nothing.
            found.extend(self.group_of(&captures.ok()?));
        }
        Some(Value::array(found))
    }

    fn group_of(&self, captures: &Captures<'_, str>) -> Option<Value> {
        captures.get(self.group).map(|group| Value::from(group.as_str()))
    }
}
