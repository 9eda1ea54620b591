//! ST_DISTANCE: the distance between two shapes.
//!
//! Owns the function. Does not own the geometry: see `relate`.

use super::relate;
use super::relation::{comparison, pair};
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Spatial, "ST_DISTANCE", |arguments, context| {
        let comparison = comparison(context);
        pair(arguments, context)
            .map(|(left, right)| relate::distance(comparison, &left, &right))
            .into()
    })
    .required(&["left", "right"])
    .index_use(IndexUse::Special)
    .returns(
        ReturnKind::Number,
        "The shortest distance between two GeoJSON shapes, in metres on the earth or in the unit of the \
         plane; 0 when they meet.",
    )
    .examples(&[
        example(
            r#"{"type":"Point","coordinates":[1,2]}, {"type":"Point","coordinates":[1,2]}"#,
            "0",
        ),
        example(
            r#"{"type":"Point","coordinates":[1,200]}, {"type":"Point","coordinates":[1,2]}"#,
            "undefined",
        ),
        example("1, 2", "undefined"),
    ])];
