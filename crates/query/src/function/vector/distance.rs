//! VECTORDISTANCE: the similarity of two vectors.
//!
//! Owns the three distance functions and the choice between them. Does not own vector indexes: the result is exact.

use model::DistanceFunction;

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Vector, "VECTORDISTANCE", distance)
        .required(&["left", "right"])
        .optional(&["brute_force", "options"])
        .index_use(IndexUse::Special)
        .returns(
            ReturnKind::Number,
            "The cosine, dot product or euclidean distance of two vectors of one length, by the \
             `distanceFunction` of the options or else of the container's policy.",
        )
        .examples(&[
            example("[1, 0], [1, 0]", "1"),
            example("[1, 0], [0, 1]", "0"),
            example(r#"[1, 2, 3], [4, 5, 6], true, {"distanceFunction": "dotproduct"}"#, "32"),
            example(r#"[0, 0], [3, 4], false, {"distanceFunction": "euclidean"}"#, "5"),
            example("[1, 2], [1, 2, 3]", "undefined"),
            example("[[1]], [[1]]", "undefined"),
        ]),
    Function::scalar(FunctionFamily::Vector, "_VectorScore", distance)
        .required(&["left", "right"])
        .optional(&["brute_force", "options"])
        .undocumented()
        .returns(ReturnKind::Number, "VECTORDISTANCE, as hybrid search asks for it.")
        .examples(&[example("[3, 4], [3, 4]", "1")]),
];

fn distance(arguments: &[Value], context: &CallContext<'_>) -> Value {
    // NaN would make the whole result unprintable.
    measure_arguments(arguments, context).filter(|distance| !distance.is_nan()).into()
}

fn measure_arguments(arguments: &[Value], context: &CallContext<'_>) -> Option<f64> {
    let [left, right, ..] = arguments else { return None };
    // Checked only: the result is always exact, which is what brute force asks for.
    argument::flag(arguments, 2)?;
    let numbers = |value: &Value| value.as_array().map_or(0, <[Value]>::len);
    context.budget.build((numbers(left) + numbers(right)) * size_of::<f64>())?;
    let (left, right) = (vector(left)?, vector(right)?);
    let embedding =
        // Either argument may be the property; the other is usually a parameter.
        (0..2).find_map(|index| context.vector_embeddings.embedding(context.argument_path(index)?));
    let dimensions = embedding.map_or(left.len(), |embedding| embedding.dimensions as usize);
    if left.len() != right.len() || left.len() != dimensions {
        return None;
    }
    let by_policy = embedding.map(|embedding| embedding.distance_function);
    let by_options = match arguments.get(3) {
        Some(options) => distance_function(options)?,
        None => None,
    };
    Some(measure(by_options.or(by_policy).unwrap_or(DistanceFunction::Cosine), &left, &right))
}

/// The numbers of an array; `None` if it is empty or contains anything else.
fn vector(value: &Value) -> Option<Vec<f64>> {
    let elements = value.as_array().filter(|elements| !elements.is_empty())?;
    elements.iter().map(Value::as_f64).collect()
}

/// The distance function in the options, if there is one; `None` if the options are invalid.
fn distance_function(options: &Value) -> Option<Option<DistanceFunction>> {
    let Some(name) = options.as_object()?.get("distanceFunction") else { return Some(None) };
    Some(Some(match name.as_str()?.to_ascii_lowercase().as_str() {
        "cosine" => DistanceFunction::Cosine,
        "dotproduct" => DistanceFunction::DotProduct,
        "euclidean" => DistanceFunction::Euclidean,
        _ => return None,
    }))
}

/// Computes the distance. A zero vector has no direction: its cosine is NaN.
fn measure(function: DistanceFunction, left: &[f64], right: &[f64]) -> f64 {
    let dot = |left: &[f64], right: &[f64]| -> f64 {
        left.iter().zip(right).map(|(left, right)| left * right).sum()
    };
    match function {
        DistanceFunction::Cosine => {
            dot(left, right) / (dot(left, left).sqrt() * dot(right, right).sqrt())
        }
        DistanceFunction::DotProduct => dot(left, right),
        DistanceFunction::Euclidean => {
            let squares = left.iter().zip(right).map(|(left, right)| (left - right).powi(2));
            squares.sum::<f64>().sqrt()
        }
    }
}
