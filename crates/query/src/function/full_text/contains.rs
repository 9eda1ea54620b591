//! FULLTEXTCONTAINS, FULLTEXTCONTAINSALL and FULLTEXTCONTAINSANY.
//!
//! Owns the three functions and the choice of language. Does not own matching: see `term`.

use super::analyzer::{Analyzer, LANGUAGE_DEFAULT, WordToken};
use super::term::SearchTerm;
use crate::budget::byte_units;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{
    Function, FunctionFamily, IndexUse, ReturnKind, ScalarFunction, example,
};
use crate::value::Value;
use crate::value::logic::{and, or};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    search("FULLTEXTCONTAINS", |arguments, context| all(arguments, context).into())
        .aliases(&["FULLTEXT_CONTAINS"])
        .returns(
            ReturnKind::Boolean,
            "Whether a word or phrase occurs in a text, in any inflection; a term may be an object \
             with `term` and `distance` to allow one or two wrong letters.",
        )
        .examples(&[
            example("\"Swimming in the lake\", \"swim\"", "true"),
            example("\"Swimming in the lake\", \"run\"", "false"),
            example("\"a red bicycle\", \"red bicycles\"", "true"),
            example("\"a red fast bicycle\", \"red bicycle\"", "false"),
            example(r#""a red bicycle", {"term": "bycicle", "distance": 2}"#, "true"),
            example(r#""a red bicycle", {"term": "rad", "distance": 1}"#, "true"),
            example(r#""a red bicycle", {"term": "road", "distance": 1}"#, "false"),
            example("1, \"a\"", "undefined"),
            example("\"text\", null", "undefined"),
        ]),
    search("FULLTEXTCONTAINSALL", |arguments, context| all(arguments, context).into())
        .variadic()
        .aliases(&["FULLTEXT_CONTAINS_ALL"])
        .returns(ReturnKind::Boolean, "Whether all words or phrases occur in a text.")
        .examples(&[
            example("\"red bicycle\", \"red\", \"bicycle\"", "true"),
            example("\"red bicycle\", \"red\", \"boat\"", "false"),
            example("\"red bicycle\", \"red\", undefined", "undefined"),
        ]),
    search("FULLTEXTCONTAINSANY", |arguments, context| {
        term_results(arguments, context)
            .and_then(|term_results| term_results.into_iter().fold(Some(false), or))
            .into()
    })
    .variadic()
    .aliases(&["FULLTEXT_CONTAINS_ANY"])
    .returns(ReturnKind::Boolean, "Whether some of the words or phrases occur in a text.")
    .examples(&[
        example("\"red bicycle\", \"boat\", \"bicycle\"", "true"),
        example("\"red bicycle\", \"boat\"", "false"),
        example("\"red bicycle\", undefined, \"red\"", "true"),
    ]),
];

const fn search(name: &'static str, evaluate: ScalarFunction) -> Function {
    Function::scalar(FunctionFamily::FullText, name, evaluate)
        .required(&["text", "term"])
        .index_use(IndexUse::Special)
}

fn all(arguments: &[Value], context: &CallContext<'_>) -> Option<bool> {
    term_results(arguments, context)?.into_iter().fold(Some(true), and)
}

/// For each term, whether it occurs; `None` if the first argument is not a string.
fn term_results(arguments: &[Value], context: &CallContext<'_>) -> Option<Vec<Option<bool>>> {
    let analyzer = analyzer(context);
    // Once for all terms.
    let tokens = tokens(&analyzer, argument::text(arguments, 0)?, context)?;
    let occurs = |term: &Value| {
        Some(SearchTerm::new(term, &analyzer, context)?.occurrences(&tokens, context) > 0)
    };
    Some(arguments.iter().skip(1).map(occurs).collect())
}

/// The analyzer for the first argument: in the language of its path, otherwise of the container.
pub(super) fn analyzer(context: &CallContext<'_>) -> Analyzer {
    let language = context
        .argument_path(0)
        .and_then(|path| context.full_text.language_of(path))
        .or(context.full_text.default_language())
        .unwrap_or(LANGUAGE_DEFAULT);
    Analyzer::new(language)
}

/// The words of a text, counted before they are split: each is copied twice, and most are short.
pub(super) fn tokens(
    analyzer: &Analyzer,
    text: &str,
    context: &CallContext<'_>,
) -> Option<Vec<WordToken>> {
    /// The most bytes of memory for each byte of text: a word of one letter and its gap.
    const GROWTH_MAX: usize = 40;
    let budget = context.budget;
    budget.hold(text.len().saturating_mul(GROWTH_MAX))?;
    // Looking for the gaps between words.
    budget.work(byte_units(text.len().saturating_mul(4)))?;
    let mut tokens = Vec::new();
    for token in analyzer.each(text) {
        budget.work(1 + byte_units(token.word.len().saturating_mul(GROWTH_MAX)))?;
        tokens.push(token);
    }
    Some(tokens)
}
