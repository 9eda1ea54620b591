//! FULLTEXTCONTAINS, FULLTEXTCONTAINSALL and FULLTEXTCONTAINSANY: whether terms occur in a text.
//!
//! Owns the three calls and the choice of language. Does not own matching: see `term`.

use super::analyzer::{Analyzer, LANGUAGE_DEFAULT};
use super::term::Term;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, Scalar, call};
use crate::value::Value;
use crate::value::logic::{and, or};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    search("FULLTEXTCONTAINS", |arguments, context| all(arguments, context).into())
        .also(&["FULLTEXT_CONTAINS"])
        .gives(
            ReturnKind::Boolean,
            "Whether a word or phrase occurs in a text, in any inflection; a term may be an object \
             with `term` and `distance` to allow one or two wrong letters.",
        )
        .examples(&[
            call("\"Swimming in the lake\", \"swim\"", "true"),
            call("\"Swimming in the lake\", \"run\"", "false"),
            call("\"a red bicycle\", \"red bicycles\"", "true"),
            call("\"a red fast bicycle\", \"red bicycle\"", "false"),
            call(r#""a red bicycle", {"term": "bycicle", "distance": 2}"#, "true"),
            call(r#""a red bicycle", {"term": "rad", "distance": 1}"#, "true"),
            call(r#""a red bicycle", {"term": "road", "distance": 1}"#, "false"),
            call("1, \"a\"", "undefined"),
            call("\"text\", null", "undefined"),
        ]),
    search("FULLTEXTCONTAINSALL", |arguments, context| all(arguments, context).into())
        .variadic()
        .also(&["FULLTEXT_CONTAINS_ALL"])
        .gives(ReturnKind::Boolean, "Whether all words or phrases occur in a text.")
        .examples(&[
            call("\"red bicycle\", \"red\", \"bicycle\"", "true"),
            call("\"red bicycle\", \"red\", \"boat\"", "false"),
            call("\"red bicycle\", \"red\", undefined", "undefined"),
        ]),
    search("FULLTEXTCONTAINSANY", |arguments, context| {
        answers(arguments, context)
            .and_then(|answers| answers.into_iter().fold(Some(false), or))
            .into()
    })
    .variadic()
    .also(&["FULLTEXT_CONTAINS_ANY"])
    .gives(ReturnKind::Boolean, "Whether some of the words or phrases occur in a text.")
    .examples(&[
        call("\"red bicycle\", \"boat\", \"bicycle\"", "true"),
        call("\"red bicycle\", \"boat\"", "false"),
        call("\"red bicycle\", undefined, \"red\"", "true"),
    ]),
];

const fn search(name: &'static str, evaluate: Scalar) -> Function {
    Function::scalar(Family::FullText, name, evaluate)
        .takes(&["text", "term"])
        .uses(IndexUse::Special)
}

fn all(arguments: &[Value], context: &CallContext<'_>) -> Option<bool> {
    answers(arguments, context)?.into_iter().fold(Some(true), and)
}

/// For each term, whether it occurs; none when there is no text.
fn answers(arguments: &[Value], context: &CallContext<'_>) -> Option<Vec<Option<bool>>> {
    let analyzer = analyzer(context);
    let tokens = analyzer.tokens(argument::text(arguments, 0)?);
    let occurs = |term: &Value| Some(Term::new(term, &analyzer)?.occurrences(&tokens) > 0);
    Some(arguments.iter().skip(1).map(occurs).collect())
}

/// The analyzer of the first argument: by the language of its path, else of the container.
pub(super) fn analyzer(context: &CallContext<'_>) -> Analyzer {
    let language = context
        .argument_path(0)
        .and_then(|path| context.full_text.language_of(path))
        .or(context.full_text.default_language())
        .unwrap_or(LANGUAGE_DEFAULT);
    Analyzer::new(language)
}
