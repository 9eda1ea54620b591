//! FULLTEXTSCORE, and what hybrid search sends in its place: _FullTextScore and _FullTextWordCount.
//!
//! Owns BM25. Does not own the statistics of the container: the client gathers them and passes them in, or ORDER BY
//! RANK gathers them over its rows.

use super::contains::analyzer;
use super::term::SearchTerm;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{
    Function, FunctionBody, FunctionFamily, IndexUse, ReturnKind, example,
};
use crate::value::Value;

/// How soon more occurrences stop to matter.
const SATURATION: f64 = 1.2;
/// How much long texts are held back.
const LENGTH_WEIGHT: f64 = 0.75;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::new(FunctionFamily::FullText, "FULLTEXTSCORE", FunctionBody::Planned)
        .required(&["text", "term"])
        .variadic()
        .index_use(IndexUse::Special)
        .returns(ReturnKind::Number, "How relevant a text is for terms, by BM25."),
    Function::scalar(FunctionFamily::FullText, "_FullTextScore", |arguments, context| {
        score(arguments, context).into()
    })
    .required(&["text", "terms", "total_documents", "total_words", "hit_counts"])
    .undocumented()
    .returns(
        ReturnKind::Number,
        "FULLTEXTSCORE with the statistics it needs: how many items and words there are, and in how \
         many items each term occurs.",
    )
    .examples(&[
        example("\"red bicycle\", [\"boat\"], 10, 20, [1]", "0"),
        example("\"red bicycle\", [\"red\"], 10, 20, []", "undefined"),
        example("null, [\"red\"], 10, 20, [1]", "undefined"),
    ]),
    Function::scalar(FunctionFamily::FullText, "_FullTextWordCount", |arguments, context| {
        let count = |text: &str| analyzer(context).tokens(text).len() as i64;
        argument::text(arguments, 0).map(count).into()
    })
    .required(&["text"])
    .undocumented()
    .returns(ReturnKind::Integer, "How many words of a text can be searched for.")
    .examples(&[example("\"The red bicycle\"", "2"), example("\"\"", "0"), example("1", "undefined")]),
];

fn score(arguments: &[Value], context: &CallContext<'_>) -> Option<f64> {
    let [text, terms, documents, words, hit_counts] = arguments else { return None };
    let analyzer = analyzer(context);
    let tokens = analyzer.tokens(text.as_str()?);
    let (terms, hit_counts) = (terms.as_array()?, hit_counts.as_array()?);
    if terms.len() != hit_counts.len() {
        return None;
    }
    let mut matches = Vec::with_capacity(terms.len());
    for (term, hits) in terms.iter().zip(hit_counts) {
        let occurrences = SearchTerm::new(term, &analyzer)?.occurrences(&tokens) as f64;
        matches.push((occurrences, hits.as_f64()?));
    }
    let corpus = Corpus { documents: documents.as_f64()?, words: words.as_f64()? };
    Some(corpus.relevance(tokens.len() as f64, matches))
}

/// What a text has of the terms searched for, until all texts are known: an array of its number of words and how often
/// each term occurs. Undefined when there is no text, or a term is none.
pub(crate) fn matches(arguments: &[Value], context: &CallContext<'_>) -> Value {
    let Some(text) = argument::text(arguments, 0) else { return Value::Undefined };
    let analyzer = analyzer(context);
    let tokens = analyzer.tokens(text);
    let mut counts = vec![Value::from(tokens.len() as i64)];
    for argument in arguments.iter().skip(1) {
        // Terms come one by one, or in the older form as one array.
        let terms = argument.as_array().unwrap_or(std::slice::from_ref(argument));
        for term in terms {
            let Some(term) = SearchTerm::new(term, &analyzer) else { return Value::Undefined };
            counts.push(Value::from(term.occurrences(&tokens) as i64));
        }
    }
    Value::array(counts)
}

/// All texts together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corpus {
    /// How many items there are, those without a text included.
    pub(crate) documents: f64,
    /// How many words their texts have.
    pub(crate) words: f64,
}

impl Corpus {
    /// How relevant a text of so many words is; for each term, how often it occurs there and in how many items at all.
    pub(crate) fn relevance(self, words: f64, terms: impl IntoIterator<Item = (f64, f64)>) -> f64 {
        let mean_words = self.words / self.documents;
        let relative_length = if mean_words > 0.0 { words / mean_words } else { 0.0 };
        let score = |(occurrences, hits)| {
            weight(self.documents, hits) * saturate(occurrences, relative_length)
        };
        terms.into_iter().map(score).sum()
    }
}

/// How much a term tells: the fewer items have it, the more.
fn weight(documents: f64, hits: f64) -> f64 {
    (1.0 + (documents - hits + 0.5).max(0.0) / (hits + 0.5)).ln()
}

/// How much its occurrences in one text count.
fn saturate(occurrences: f64, relative_length: f64) -> f64 {
    let damping = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * relative_length);
    occurrences * (SATURATION + 1.0) / (occurrences + damping)
}
