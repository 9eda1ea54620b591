//! ST_AREA: the area of a shape.
//!
//! Owns the function. Does not own the geometry: see `relate`.

use super::relation::comparison;
use super::{read, relate};
use crate::budget::value_bytes;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Spatial, "ST_AREA", |arguments, context| {
        arguments
            .first()
            .filter(|shape| context.budget.build(value_bytes(shape)).is_some())
            .and_then(|shape| read::geometry(shape, context.geospatial).ok())
            .map(|shape| relate::area(comparison(context), &shape))
            .into()
    })
    .required(&["shape"])
    .returns(
        ReturnKind::Number,
        "The area of a GeoJSON shape, in square metres on the earth; 0 for points and lines.",
    )
    .examples(&[
        example(r#"{"type":"Point","coordinates":[1,2]}"#, "0"),
        example(r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#, "0"),
        example(r#"{"type":"Polygon","coordinates":[[[0,0],[1,1]]]}"#, "undefined"),
        example("null", "undefined"),
    ])];
