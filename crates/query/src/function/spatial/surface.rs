//! What shapes lie on.
//!
//! Owns the few questions about places and segments that differ between the earth and a plane. Everything built from
//! them is in `relate`.

use model::GeospatialConfig;

use super::earth::Earth;
use super::geometry::{Coordinate, Segment};
use super::plane::Plane;

/// A surface with distances and insides.
pub(super) trait Surface {
    /// The length of the shortest way between two places.
    fn distance(&self, from: Coordinate, to: Coordinate) -> f64;

    /// The length of the shortest way from a place to a segment.
    fn distance_to_segment(&self, from: Coordinate, segment: Segment) -> f64;

    /// The middle of a segment.
    fn middle(&self, segment: Segment) -> Coordinate;

    /// Whether a place lies on a segment, ends included.
    fn touches(&self, position: Coordinate, segment: Segment) -> bool;

    /// Whether two segments cross at a place inside both.
    fn crosses(&self, left: Segment, right: Segment) -> bool;

    /// Whether a place that is not on the ring lies in the area the ring bounds.
    fn is_inside(&self, position: Coordinate, ring: &[Coordinate]) -> bool;

    /// Whether a place that is not on the ring lies in the hole the ring bounds, whichever way it turns.
    fn is_inside_hole(&self, position: Coordinate, ring: &[Coordinate]) -> bool;

    /// The size of the area a ring bounds.
    fn area(&self, ring: &[Coordinate]) -> f64;

    /// The size of the hole a ring bounds, whichever way it turns.
    fn hole_area(&self, ring: &[Coordinate]) -> f64;
}

/// The surface of a container.
pub(super) fn surface(config: GeospatialConfig) -> &'static dyn Surface {
    match config {
        GeospatialConfig::Geography => &Earth,
        GeospatialConfig::Geometry => &Plane,
    }
}
