//! The surface on which shapes lie.
//!
//! Owns the few operations on points and segments that differ between the earth and a plane. Everything built from them
//! is in `relate`.

use model::GeospatialConfig;

use super::earth::Earth;
use super::geometry::{Coordinate, Segment};
use super::plane::Plane;

/// A surface: the earth or a plane.
pub(super) trait Surface {
    /// The distance between two points.
    fn distance(&self, from: Coordinate, to: Coordinate) -> f64;

    /// The shortest distance from a point to a segment.
    fn distance_to_segment(&self, from: Coordinate, segment: Segment) -> f64;

    /// The midpoint of a segment.
    fn middle(&self, segment: Segment) -> Coordinate;

    /// Whether a point lies on a segment, ends included.
    fn touches(&self, position: Coordinate, segment: Segment) -> bool;

    /// Whether two segments cross at a point inside both.
    fn crosses(&self, left: Segment, right: Segment) -> bool;

    /// Whether a point that is not on the ring lies in the area that the ring bounds.
    fn is_inside(&self, position: Coordinate, ring: &[Coordinate]) -> bool;

    /// Whether a point that is not on the ring lies in the hole that the ring bounds, whatever its orientation.
    fn is_inside_hole(
        &self,
        position: Coordinate,
        ring: &[Coordinate],
        allows: PointAllowance<'_>,
    ) -> bool;

    /// The size of the area that a ring bounds.
    fn area(&self, ring: &[Coordinate], allows: PointAllowance<'_>) -> f64;

    /// The size of the hole that a ring bounds, whatever its orientation.
    fn hole_area(&self, ring: &[Coordinate], allows: PointAllowance<'_>) -> f64;
}

/// Whether so many more points of a ring may be measured. If not, the result is never seen.
pub(super) type PointAllowance<'call> = &'call dyn Fn(usize) -> bool;

/// The surface of a container.
pub(super) fn surface(config: GeospatialConfig) -> &'static dyn Surface {
    match config {
        GeospatialConfig::Geography => &Earth,
        GeospatialConfig::Geometry => &Plane,
    }
}
