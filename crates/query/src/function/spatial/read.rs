//! Parsing and validating GeoJSON.
//!
//! Owns which shapes are valid and the reason why one is not. Does not own the functions that report it.

use model::GeospatialConfig;

use super::geometry::{Coordinate, Geometry, LinearRing, Polygon};
use crate::value::Value;

/// Why a shape is not valid, as a sentence.
pub(super) type InvalidReason = &'static str;

/// Parses a shape.
///
/// # Errors
/// The reason why the value is not a valid GeoJSON shape.
pub(super) fn geometry(value: &Value, config: GeospatialConfig) -> Result<Geometry, InvalidReason> {
    let object = value.as_object().ok_or("The value is not a GeoJSON object.")?;
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
    // Undefined is no array either, so the same reason is given as for a wrong type.
    let coordinates = object.get("coordinates").unwrap_or(&Value::Undefined);
    match kind {
        "Point" => position(coordinates, config).map(Geometry::Point),
        "LineString" => {
            let positions = positions(coordinates, config)?;
            if positions.len() < 2 {
                return Err("A LineString must have at least two positions.");
            }
            Ok(Geometry::LineString(positions))
        }
        "Polygon" => Ok(Geometry::Area(vec![polygon(coordinates, config)?])),
        "MultiPolygon" => {
            let polygons: Vec<Polygon> = elements(coordinates)?
                .iter()
                .map(|element| polygon(element, config))
                .collect::<Result<_, _>>()?;
            if polygons.is_empty() {
                return Err("A MultiPolygon must have at least one polygon.");
            }
            Ok(Geometry::Area(polygons))
        }
        _ => Err("The type must be Point, LineString, Polygon or MultiPolygon."),
    }
}

fn polygon(value: &Value, config: GeospatialConfig) -> Result<Polygon, InvalidReason> {
    let rings: Vec<LinearRing> =
        elements(value)?.iter().map(|element| ring(element, config)).collect::<Result<_, _>>()?;
    let mut rings = rings.into_iter();
    let outer = rings.next().ok_or("A Polygon must have at least one ring.")?;
    Ok(Polygon { outer, holes: rings.collect() })
}

fn ring(value: &Value, config: GeospatialConfig) -> Result<LinearRing, InvalidReason> {
    let positions = positions(value, config)?;
    if positions.len() < 4 {
        return Err("A ring of a Polygon must have at least four positions.");
    }
    if positions.first() != positions.last() {
        return Err("A ring of a Polygon must end where it starts.");
    }
    Ok(positions)
}

fn positions(value: &Value, config: GeospatialConfig) -> Result<Vec<Coordinate>, InvalidReason> {
    elements(value)?.iter().map(|element| position(element, config)).collect()
}

/// Longitude first; anything after the second number, such as a height, is ignored.
fn position(value: &Value, config: GeospatialConfig) -> Result<Coordinate, InvalidReason> {
    let numbers: Option<Vec<f64>> =
        elements(value)?.iter().map(|element| element.as_f64().filter(|x| x.is_finite())).collect();
    let [x, y, ..] = numbers.ok_or("Coordinates must be numbers.")?[..] else {
        return Err("A position must have at least two coordinates.");
    };
    if config == GeospatialConfig::Geography {
        if !(-90.0..=90.0).contains(&y) {
            return Err("Latitude values must be between -90 and 90 degrees.");
        }
        if !(-180.0..=180.0).contains(&x) {
            return Err("Longitude values must be between -180 and 180 degrees.");
        }
    }
    Ok(Coordinate { x, y })
}

fn elements(value: &Value) -> Result<&[Value], InvalidReason> {
    value.as_array().ok_or("Coordinates must be arrays of numbers.")
}
