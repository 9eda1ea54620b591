//! Running a case: the rows of a query over the items of the case.
//!
//! Every query is run in all ways that must agree: with an executor over items, with an executor over stored texts, as
//! a stream if possible, and with groups computed over two halves and merged.

use std::sync::Arc;

use model::{FullTextPolicy, Json, VectorEmbeddingPolicy};
use query::function::UtcDateTime;
use query::value::Value;
use query::{
    BoundQuery, EvaluationContext, EvaluationError, QueryExecutor, UserFunctions, row_text,
};

use super::file::Case;

/// The user-defined functions of the cases.
struct CaseFunctions;

impl UserFunctions for CaseFunctions {
    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, EvaluationError> {
        let first = arguments.first().cloned().unwrap_or_default();
        Ok(match name {
            "plus1" => query::value::arithmetic::add(&first, &Value::from(1)),
            "echo" => first,
            "nothing" => Value::Undefined,
            "count" => Value::from(arguments.len() as i64),
            _ => return Err(EvaluationError::UnknownUserFunction(name.to_owned())),
        })
    }
}

/// The context of every case: a fixed time, a vector policy for `/v`, a German text at `/german`.
pub(crate) fn context() -> EvaluationContext {
    let embeddings = br#"{"vectorEmbeddings": [{"path": "/v", "dataType": "float32",
        "dimensions": 2, "distanceFunction": "euclidean"}]}"#;
    let texts = br#"{"defaultLanguage": "en-US",
        "fullTextPaths": [{"path": "/german", "language": "de-DE"}]}"#;
    let now = UtcDateTime::parse("2024-10-14T14:20:30.6668888Z").expect("a moment");
    let start = UtcDateTime::parse("2024-10-14T14:20:30Z").expect("a moment");
    let json = |text: &[u8]| Json::parse(text).expect("a policy is JSON");
    let embeddings = VectorEmbeddingPolicy::from_json(&json(embeddings)).expect("a policy");
    let texts = FullTextPolicy::from_json(&json(texts)).expect("a policy");
    EvaluationContext {
        now: Arc::new(move || now),
        vector_embeddings: Arc::new(embeddings),
        full_text: Arc::new(texts),
        user_functions: Arc::new(CaseFunctions),
        ..EvaluationContext::starting_at(start)
    }
}

/// The items of a case, one per line.
pub(super) fn items(case: &Case) -> Result<Vec<Json>, String> {
    let lines = case.section("items").unwrap_or_default().lines();
    lines
        .map(|line| Json::parse(line.as_bytes()).map_err(|error| format!("{line}: {error:?}")))
        .collect()
}

/// The text of each row, or the error.
pub(super) fn rows(query: &BoundQuery, items: &[Json]) -> Result<Vec<String>, String> {
    let whole = texts(run(query, items));
    assert_eq!(texts(run_texts(query, items)), whole, "rows of stored texts differ");
    if let Some(streamed) = stream(query, items) {
        assert_eq!(texts(streamed), whole, "streamed rows differ");
    }
    whole
}

fn texts(rows: Result<Vec<Value>, EvaluationError>) -> Result<Vec<String>, String> {
    rows.and_then(|rows| rows.iter().map(row_text).collect())
        .map_err(|error| error.to_query_error().to_string())
}

fn run(query: &BoundQuery, items: &[Json]) -> Result<Vec<Value>, EvaluationError> {
    let mut executor = QueryExecutor::new(query, context());
    for item in items {
        executor.push(item)?;
    }
    executor.finish()
}

fn run_texts(query: &BoundQuery, items: &[Json]) -> Result<Vec<Value>, EvaluationError> {
    let mut executor = QueryExecutor::new(query, context());
    for item in items {
        executor.push_text(&item.to_bytes())?;
    }
    executor.finish()
}

fn stream(query: &BoundQuery, items: &[Json]) -> Option<Result<Vec<Value>, EvaluationError>> {
    let mut stream = QueryExecutor::streaming(query, context())?;
    let mut rows = Vec::new();
    for item in items {
        let pushed = stream.push_text_while(&item.to_bytes(), |row| {
            rows.push(row);
            true
        });
        if let Err(error) = pushed {
            return Some(Err(error));
        }
    }
    Some(stream.finish().map(|more| {
        rows.extend(more);
        rows
    }))
}
