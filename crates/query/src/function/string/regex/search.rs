//! The declarations of the three functions, and what they return of a match.
//!
//! Does not own the regex engines: `pattern` compiles, `stepped` matches in steps.

use std::sync::Arc;

use fancy_regex::Captures;

use super::pattern::RegexPattern;
use crate::budget::{BudgetError, TEXT_HEADER_BYTES, value_bytes};
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

/// Bytes that the search for the next match reads in one unit of work.
const SEARCHED_BYTES_PER_UNIT: usize = 256;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "REGEXMATCH", |arguments, context| {
        RegexSearch::new(arguments, context).and_then(|search| search.matches(context)).into()
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
        Some(Self { text, pattern, group })
    }

    fn matches(&self, context: &CallContext<'_>) -> Option<bool> {
        if let Some(stepped) = &self.pattern.stepped
            && let Some(matches) = stepped.search(self.text, context.budget)?
        {
            return Some(matches);
        }
        self.allow_match(context)?;
        // An error means that the limit on backtracking was reached.
        self.pattern.regex.is_match(self.text).ok()
    }

    /// Asks for the work of a match that cannot be interrupted.
    fn allow_match(&self, context: &CallContext<'_>) -> Option<()> {
        match self.pattern.whole_match_units(self.text.len()) {
            Some(units) => context.budget.work(units),
            None => {
                let text_bytes = self.text.len();
                context.budget.refuse(BudgetError::MatchTooLarge { text_bytes });
                None
            }
        }
    }

    fn first(&self, context: &CallContext<'_>) -> Option<Value> {
        self.allow_match(context)?;
        context.budget.build(self.text.len())?;
        self.group_of(&self.pattern.regex.captures(self.text).ok()??)
    }

    fn all(&self, context: &CallContext<'_>) -> Option<Value> {
        self.allow_match(context)?;
        let mut found = Vec::new();
        // A group that took no part in the match adds nothing.
        for captures in self.pattern.regex.captures_iter(self.text) {
            let captures = captures.ok()?;
            // The next search may read the whole rest and find one letter, so that all searches together are quadratic.
            let end = captures.get(0).map_or(0, |matched| matched.end());
            let rest = self.text.len().saturating_sub(end);
            context.budget.work(1 + (rest / SEARCHED_BYTES_PER_UNIT) as u64)?;
            let Some(value) = self.group_of(&captures) else { continue };
            context.budget.build(value_bytes(&value) + TEXT_HEADER_BYTES)?;
            found.push(value);
        }
        Some(Value::array(found))
    }

    fn group_of(&self, captures: &Captures<'_, str>) -> Option<Value> {
        captures.get(self.group).map(|group| Value::from(group.as_str()))
    }
}
