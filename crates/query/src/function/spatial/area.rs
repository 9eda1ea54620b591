//! ST_AREA: how large a shape is.
//!
//! Owns the call. Does not own the measure: see `relate`.

use super::surface::surface;
use super::{read, relate};
use crate::function::declaration::{Family, Function, ReturnKind, call};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::Spatial, "ST_AREA", |arguments, context| {
        arguments
            .first()
            .and_then(|shape| read::geometry(shape, context.geospatial).ok())
            .map(|shape| relate::area(surface(context.geospatial), &shape))
            .into()
    })
    .takes(&["shape"])
    .gives(
        ReturnKind::Number,
        "The area of a GeoJSON shape, in square metres on the earth; 0 for points and lines.",
    )
    .examples(&[
        call(r#"{"type":"Point","coordinates":[1,2]}"#, "0"),
        call(r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#, "0"),
        call(r#"{"type":"Polygon","coordinates":[[[0,0],[1,1]]]}"#, "undefined"),
        call("null", "undefined"),
    ])];
