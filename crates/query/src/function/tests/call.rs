//! Calling functions in tests: arguments as text, a context with a fixed time.

use model::{FullTextPolicy, GeospatialConfig, Json, PropertyPath, VectorEmbeddingPolicy};

use crate::budget::EvaluationBudget;
use crate::function::{CallContext, FunctionBody, PatternCache, UtcDateTime, lookup};
use crate::value::Value;

/// Parses arguments in the notation of examples.
pub(in crate::function) fn parse_arguments(text: &str) -> Vec<Value> {
    let mut arguments = Vec::new();
    let (mut depth, mut in_string, mut is_escaped, mut start) = (0, false, false, 0);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                arguments.push(parse_argument(&text[start..index]));
                start = index + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        arguments.push(parse_argument(&text[start..]));
    }
    arguments
}

fn parse_argument(text: &str) -> Value {
    match text.trim() {
        "undefined" => Value::Undefined,
        json => Value::from(&Json::parse(json.as_bytes()).expect(json)),
    }
}

/// Evaluates a call at 2024-10-14T14:20:30.6668888Z in a container without policies.
pub(in crate::function) fn evaluate(name: &str, arguments: &str) -> Value {
    evaluate_on(GeospatialConfig::Geography, name, arguments)
}

/// The same on the earth or on a plane.
pub(in crate::function) fn evaluate_on(
    geospatial: GeospatialConfig,
    name: &str,
    arguments: &str,
) -> Value {
    with_context(&[], |context| {
        let context = CallContext { geospatial, ..*context };
        evaluate_in(&context, name, &parse_arguments(arguments))
    })
}

/// Evaluates a call, or an aggregate over the arguments as rows.
pub(in crate::function) fn evaluate_in(
    context: &CallContext<'_>,
    name: &str,
    arguments: &[Value],
) -> Value {
    match lookup(name).expect(name).body {
        FunctionBody::Scalar(evaluate) => evaluate(arguments, context),
        FunctionBody::Aggregate(aggregate) => {
            let mut state = aggregate.start();
            arguments.iter().for_each(|value| state.add(value.clone()));
            state.finish()
        }
        FunctionBody::Planned => Value::Undefined,
    }
}

/// Runs a closure with a context whose arguments have these paths.
pub(in crate::function) fn with_context<R>(
    argument_paths: &[Option<PropertyPath>],
    use_context: impl FnOnce(&CallContext<'_>) -> R,
) -> R {
    let embeddings = br#"{"vectorEmbeddings": [{"path": "/v", "dataType": "float32",
        "dimensions": 3, "distanceFunction": "euclidean"}]}"#;
    let texts = br#"{"defaultLanguage": "en-US",
        "fullTextPaths": [{"path": "/german", "language": "de-DE"}]}"#;
    use_context(&CallContext {
        now: UtcDateTime::parse("2024-10-14T14:20:30.6668888Z").unwrap(),
        query_start: UtcDateTime::parse("2024-10-14T14:20:30Z").unwrap(),
        random: &|| 0.25,
        geospatial: GeospatialConfig::Geography,
        vector_embeddings: &VectorEmbeddingPolicy::from_json(&Json::parse(embeddings).unwrap())
            .unwrap(),
        full_text: &FullTextPolicy::from_json(&Json::parse(texts).unwrap()).unwrap(),
        argument_paths,
        patterns: &PatternCache::new(),
        budget: &EvaluationBudget::unlimited(),
    })
}
