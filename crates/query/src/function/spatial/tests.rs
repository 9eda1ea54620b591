//! Shapes on the earth and on a plane.

use model::GeospatialConfig;

use crate::function::tests::{evaluate, evaluate_on};
use crate::value::Value;

fn point(x: f64, y: f64) -> String {
    format!(r#"{{"type":"Point","coordinates":[{x},{y}]}}"#)
}

fn shape(kind: &str, coordinates: &str) -> String {
    format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#)
}

/// Within a ten-millionth, which is how close the service's own arithmetic comes.
fn assert_close(value: &Value, expected: f64) {
    let actual = value.as_f64().unwrap();
    assert!((actual / expected - 1.0).abs() < 1e-7, "{actual} is not {expected}");
}

#[test]
fn distances_are_those_of_the_service() {
    let reference = point(-122.117_581_139_535_35, 47.669_010_870_061_31);
    for (x, y, expected) in [
        (-122.128_268_223_046_72, 47.639_802_393_357_18, 3_345.269_817_267_368),
        (-96.843_686_647_659_94, 46.812_977_943_146_63, 1_907_438.421_299_902),
    ] {
        let distance = evaluate("ST_DISTANCE", &format!("{}, {reference}", point(x, y)));
        assert_close(&distance, expected);
    }
}

#[test]
fn areas_are_those_of_the_service() {
    let polygon = shape("Polygon", "[[[31.8,-5],[32,-5],[32,-4.7],[31.8,-4.7],[31.8,-5]]]");
    assert_close(&evaluate("ST_AREA", &polygon), 735_970_283.052_261_4);
}

#[test]
fn a_hole_larger_than_its_shape_leaves_nothing() {
    let shape = shape("Polygon", "[[[0,0],[0,0],[0,0],[0,0]],[[0,0],[0,90],[90,0],[0,0]]]");
    assert_eq!(evaluate("ST_AREA", &shape), Value::Double(0.0));
}

#[test]
fn a_clockwise_ring_bounds_the_outside() {
    let inverse = shape("Polygon", "[[[31.8,-5],[31.8,-4.7],[32,-4.7],[32,-5],[31.8,-5]]]");
    let earth = 510_065_621_724_088.0;
    assert_close(&evaluate("ST_AREA", &inverse), earth - 735_970_287.935);
    for (location, expected) in [((31.9, -4.9), false), ((0.0, 50.0), true), ((-148.1, 4.9), true)]
    {
        let arguments = format!("{}, {inverse}", point(location.0, location.1));
        assert_eq!(evaluate("ST_WITHIN", &arguments), Value::Bool(expected), "{location:?}");
    }
}

#[test]
fn shapes_contain_and_meet() {
    let square = shape("Polygon", "[[[0,0],[10,0],[10,10],[0,10],[0,0]]]");
    let holed =
        shape("Polygon", "[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[4,4],[4,6],[6,6],[6,4],[4,4]]]");
    let both = shape(
        "MultiPolygon",
        "[[[[0,0],[1,0],[1,1],[0,1],[0,0]]],[[[5,5],[6,5],[6,6],[5,6],[5,5]]]]",
    );
    let line = shape("LineString", "[[-5,5],[15,5]]");
    let inner = shape("Polygon", "[[[3,3],[7,3],[7,7],[3,7],[3,3]]]");
    let around_the_antimeridian =
        shape("Polygon", "[[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]]");
    let cases = [
        (point(5.0, 5.0), &square, true, true),
        (point(5.0, 5.0), &holed, false, false),
        (point(5.5, 5.5), &both, true, true),
        (point(3.0, 3.0), &both, false, false),
        (point(20.0, 5.0), &square, false, false),
        (line, &square, false, true),
        (inner.clone(), &square, true, true),
        (inner.clone(), &holed, false, true),
        (square.clone(), &inner, false, true),
        (square.clone(), &square, true, true),
        (point(179.0, 0.0), &around_the_antimeridian, true, true),
        (point(-179.0, 0.0), &around_the_antimeridian, true, true),
        (point(0.0, 0.0), &around_the_antimeridian, false, false),
    ];
    for (left, right, within, intersects) in cases {
        let arguments = format!("{left}, {right}");
        assert_eq!(evaluate("ST_WITHIN", &arguments), within.into(), "{arguments}");
        assert_eq!(evaluate("ST_INTERSECTS", &arguments), intersects.into(), "{arguments}");
        let distance = evaluate("ST_DISTANCE", &arguments);
        assert_eq!(distance == Value::from(0), intersects, "{arguments}");
    }
}

#[test]
fn the_edge_belongs_to_a_shape_unverified() {
    let square = shape("Polygon", "[[[0,0],[10,0],[10,10],[0,10],[0,0]]]");
    for vertex in [point(0.0, 0.0), point(5.0, 0.0)] {
        assert_eq!(evaluate("ST_WITHIN", &format!("{vertex}, {square}")), Value::Bool(true));
    }
}

#[test]
fn a_line_is_as_far_as_its_nearest_place() {
    let line = shape("LineString", "[[-10,0],[10,0]]");
    let distance = evaluate("ST_DISTANCE", &format!("{}, {line}", point(0.0, 1.0)));
    assert_close(&distance, 110_574.388_557_799);
}

#[test]
fn a_plane_has_straight_lines() {
    let plane = |name: &str, arguments: &str| {
        evaluate_on(GeospatialConfig::Geometry, name, arguments).to_string()
    };
    let square = shape("Polygon", "[[[0,0],[400,0],[400,400],[0,400],[0,0]]]");
    let holed = shape(
        "Polygon",
        "[[[0,0],[400,0],[400,400],[0,400],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]]",
    );
    let line = shape("LineString", "[[0,500],[500,0]]");
    assert_eq!(
        plane("ST_DISTANCE", &format!("{}, {}", point(0.0, 0.0), point(300.0, 400.0))),
        "500"
    );
    assert_eq!(plane("ST_DISTANCE", &format!("{}, {square}", point(403.0, 404.0))), "5");
    assert_eq!(plane("ST_AREA", &square), "160000");
    assert_eq!(plane("ST_AREA", &holed), "159999");
    assert_eq!(plane("ST_ISVALID", &square), "true");
    assert_eq!(plane("ST_WITHIN", &format!("{}, {square}", point(1.5, 1.5))), "true");
    assert_eq!(plane("ST_WITHIN", &format!("{}, {holed}", point(1.5, 1.5))), "false");
    assert_eq!(plane("ST_INTERSECTS", &format!("{line}, {square}")), "true");
    assert_eq!(plane("ST_WITHIN", &format!("{line}, {square}")), "false");
}

#[test]
fn reasons_are_sentences_unverified() {
    for (value, word) in [
        ("1", "GeoJSON"),
        (r#"{"type":"Circle"}"#, "type"),
        (r#"{"type":"Point"}"#, "arrays"),
        (r#"{"type":"Point","coordinates":[1]}"#, "two coordinates"),
        (r#"{"type":"Point","coordinates":[1,"x"]}"#, "numbers"),
        (r#"{"type":"Point","coordinates":[181,0]}"#, "Longitude"),
        (r#"{"type":"LineString","coordinates":[[1,1]]}"#, "two positions"),
        (r#"{"type":"Polygon","coordinates":[]}"#, "one ring"),
        (r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}"#, "four positions"),
        (r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#, "where it starts"),
        (r#"{"type":"MultiPolygon","coordinates":[]}"#, "one polygon"),
    ] {
        let verdict = evaluate("ST_ISVALIDDETAILED", value);
        assert_eq!(verdict.property("valid"), Value::Bool(false));
        assert!(verdict.property("reason").as_str().unwrap().contains(word), "{value}");
    }
}
