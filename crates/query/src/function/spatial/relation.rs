//! ST_WITHIN and ST_INTERSECTS.
//!
//! Owns the functions on two shapes and parsing both. Does not own the geometry: see `relate`.

use super::geometry::Geometry;
use super::relate::ShapeComparison;
use super::surface::surface;
use super::{read, relate};
use crate::budget::value_bytes;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Spatial, "ST_WITHIN", |arguments, context| {
        let comparison = comparison(context);
        pair(arguments, context)
            .map(|(inner, outer)| relate::within(comparison, &inner, &outer))
            .into()
    })
    .required(&["inner", "outer"])
    .index_use(IndexUse::Special)
    .returns(
        ReturnKind::Boolean,
        "Whether a GeoJSON shape lies completely in another, including its edge.",
    )
    .examples(&[
        example(
            concat!(
                r#"{"type":"Point","coordinates":[-122.12824857332558,47.6395516675712]}, "#,
                r#"{"type":"Polygon","#,
                r#""coordinates":[[[-122.13236581015025,47.64606476313813],"#,
                r#"[-122.13221982500913,47.633757091363975],"#,
                r#"[-122.11840598103835,47.641749416109235],"#,
                r#"[-122.12061400629656,47.64589264786028],"#,
                r#"[-122.13236581015025,47.64606476313813]]]}"#,
            ),
            "true",
        ),
        example(
            concat!(
                r#"{"type":"Point","coordinates":[5,5]}, "#,
                r#"{"type":"Polygon","#,
                r#""coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#,
            ),
            "false",
        ),
        example(r#"{"type":"Point","coordinates":[5,5]}, null"#, "undefined"),
    ]),
    Function::scalar(FunctionFamily::Spatial, "ST_INTERSECTS", |arguments, context| {
        let comparison = comparison(context);
        pair(arguments, context)
            .map(|(left, right)| relate::intersects(comparison, &left, &right))
            .into()
    })
    .required(&["left", "right"])
    .index_use(IndexUse::Special)
    .returns(ReturnKind::Boolean, "Whether two GeoJSON shapes have a point in common.")
    .examples(&[
        example(
            concat!(
                r#"{"type":"Polygon","coordinates":[[[-122.13693695285855,47.64996065621003],"#,
                r#"[-122.1351662656516,47.64627863318731],"#,
                r#"[-122.13488295569863,47.646326350048696],"#,
                r#"[-122.1366182291613,47.650016321952904],"#,
                r#"[-122.13693695285855,47.64996065621003]]]}, "#,
                r#"{"type":"Polygon","#,
                r#""coordinates":[[[-122.14034847687708,47.6494835188378],"#,
                r#"[-122.14014779899375,47.64625477474044],"#,
                r#"[-122.13256925774829,47.646207057813655],"#,
                r#"[-122.13254564858545,47.64941990019193],"#,
                r#"[-122.14034847687708,47.6494835188378]]]}"#,
            ),
            "true",
        ),
        example(
            concat!(
                r#"{"type":"Point","coordinates":[0,0]}, "#,
                r#"{"type":"LineString","#,
                r#""coordinates":[[1,1],[2,2]]}"#,
            ),
            "false",
        ),
        example(r#"{"type":"Circle"}, {"type":"Point","coordinates":[0,0]}"#, "undefined"),
    ]),
];

/// Parses both arguments; `None` unless both are valid shapes.
pub(super) fn pair(arguments: &[Value], context: &CallContext<'_>) -> Option<(Geometry, Geometry)> {
    let [left, right] = arguments else { return None };
    let read = |value| {
        // Parsed into coordinates, which are smaller than the value.
        context.budget.build(value_bytes(value))?;
        read::geometry(value, context.geospatial).ok()
    };
    read(left).zip(read(right))
}

/// How shapes are compared in a call.
pub(super) fn comparison<'call>(context: &CallContext<'call>) -> ShapeComparison<'call> {
    ShapeComparison { surface: surface(context.geospatial), budget: context.budget }
}
