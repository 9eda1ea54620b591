//! ST_DISTANCE: how far two shapes are apart.
//!
//! Owns the call. Does not own the measure: see `relate`.

use super::relate;
use super::relation::pair;
use super::surface::surface;
use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, call};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::Spatial, "ST_DISTANCE", |arguments, context| {
        let surface = surface(context.geospatial);
        pair(arguments, context)
            .map(|(left, right)| relate::distance(surface, &left, &right))
            .into()
    })
    .takes(&["left", "right"])
    .uses(IndexUse::Special)
    .gives(
        ReturnKind::Number,
        "The shortest way between two GeoJSON shapes, in metres on the earth or in the unit of the \
         plane; 0 when they meet.",
    )
    .examples(&[
        call(r#"{"type":"Point","coordinates":[1,2]}, {"type":"Point","coordinates":[1,2]}"#, "0"),
        call(
            r#"{"type":"Point","coordinates":[1,200]}, {"type":"Point","coordinates":[1,2]}"#,
            "undefined",
        ),
        call("1, 2", "undefined"),
    ])];
