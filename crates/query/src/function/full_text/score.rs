//! FULLTEXTSCORE, and the functions that replace it in hybrid search: _FullTextScore and _FullTextWordCount.
//!
//! Owns BM25. Does not own the statistics of the container: the client collects them and passes them in, or ORDER BY
//! RANK collects them over its rows.

use super::contains::{analyzer, tokens};
use super::term::SearchTerm;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{
    Function, FunctionBody, FunctionFamily, IndexUse, ReturnKind, example,
};
use crate::value::Value;

/// The parameter k1 of BM25: how quickly further occurrences stop counting.
const SATURATION: f64 = 1.2;
/// The parameter b of BM25: how strongly long texts are penalized.
const LENGTH_WEIGHT: f64 = 0.75;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::new(FunctionFamily::FullText, "FULLTEXTSCORE", FunctionBody::Planned)
        .required(&["text", "term"])
        .variadic()
        .index_use(IndexUse::Special)
        .returns(ReturnKind::Number, "The relevance of a text for search terms, by BM25."),
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
        let count = |text: &str| Some(tokens(&analyzer(context), text, context)?.len() as i64);
        argument::text(arguments, 0).and_then(count).into()
    })
    .required(&["text"])
    .undocumented()
    .returns(ReturnKind::Integer, "The number of searchable words of a text.")
    .examples(&[example("\"The red bicycle\"", "2"), example("\"\"", "0"), example("1", "undefined")]),
];

fn score(arguments: &[Value], context: &CallContext<'_>) -> Option<f64> {
    let [text, terms, documents, words, hit_counts] = arguments else { return None };
    let analyzer = analyzer(context);
    let tokens = tokens(&analyzer, text.as_str()?, context)?;
    let (terms, hit_counts) = (terms.as_array()?, hit_counts.as_array()?);
    if terms.len() != hit_counts.len() {
        return None;
    }
    let mut matches = Vec::with_capacity(terms.len());
    for (term, hits) in terms.iter().zip(hit_counts) {
        let term = SearchTerm::new(term, &analyzer, context)?;
        let occurrences = term.occurrences(&tokens, context) as f64;
        matches.push((occurrences, hits.as_f64()?));
    }
    let corpus = Corpus { documents: documents.as_f64()?, words: words.as_f64()? };
    Some(corpus.relevance(tokens.len() as f64, matches))
}

/// The word counts of a text, from which its score is computed once all texts are known: an array of its number of
/// words and the occurrences of each term. Undefined if the first argument is not a string or a term is invalid.
pub(crate) fn matches(arguments: &[Value], context: &CallContext<'_>) -> Value {
    let analyzer = analyzer(context);
    let text = argument::text(arguments, 0);
    let Some(tokens) = text.and_then(|text| tokens(&analyzer, text, context)) else {
        return Value::Undefined;
    };
    let mut counts = vec![Value::from(tokens.len() as i64)];
    for argument in arguments.iter().skip(1) {
        // Terms are separate arguments or, in an older syntax, one array.
        let terms = argument.as_array().unwrap_or(std::slice::from_ref(argument));
        for term in terms {
            let Some(term) = SearchTerm::new(term, &analyzer, context) else {
                return Value::Undefined;
            };
            counts.push(Value::from(term.occurrences(&tokens, context) as i64));
        }
    }
    Value::array(counts)
}

/// Statistics of all texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corpus {
    /// The number of items, including those without a text.
    pub(crate) documents: f64,
    /// The number of words in all texts.
    pub(crate) words: f64,
}

impl Corpus {
    /// The BM25 score of a text with this number of words; for each term, its occurrences in the text and the number of
    /// items that contain it.
    pub(crate) fn relevance(self, words: f64, terms: impl IntoIterator<Item = (f64, f64)>) -> f64 {
        let mean_words = self.words / self.documents;
        // Without words in the container there is no mean length.
        let relative_length = if mean_words > 0.0 { words / mean_words } else { 0.0 };
        let score = |(occurrences, hits)| {
            weight(self.documents, hits) * saturate(occurrences, relative_length)
        };
        terms.into_iter().map(score).sum()
    }
}

/// The inverse document frequency: the fewer items contain a term, the more it counts.
fn weight(documents: f64, hits: f64) -> f64 {
    // The 1 keeps the weight positive for terms that occur in most items. The statistics come from the caller, hence
    // the lower bound.
    (1.0 + (documents - hits + 0.5).max(0.0) / (hits + 0.5)).ln()
}

/// The weight of the occurrences in one text.
fn saturate(occurrences: f64, relative_length: f64) -> f64 {
    let damping = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * relative_length);
    occurrences * (SATURATION + 1.0) / (occurrences + damping)
}
