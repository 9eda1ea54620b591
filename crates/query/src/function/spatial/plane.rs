//! The Euclidean plane, in any unit.
//!
//! Owns planar geometry. On a plane the orientation of a ring has no meaning.

use super::geometry::{Coordinate, Segment, segments};
use super::surface::{PointAllowance, Surface};

/// The Euclidean plane.
pub(super) struct Plane;

/// Points closer to a segment than this, relative to its length, lie on it.
const TOLERANCE: f64 = 1e-12;

/// Points that take as long as one point on the earth.
const CHEAP_POINTS: usize = 16;

impl Surface for Plane {
    fn distance(&self, from: Coordinate, to: Coordinate) -> f64 {
        (to.x - from.x).hypot(to.y - from.y)
    }

    fn distance_to_segment(&self, from: Coordinate, segment: Segment) -> f64 {
        let (dx, dy) = (segment.end.x - segment.start.x, segment.end.y - segment.start.y);
        let squared = dx * dx + dy * dy;
        if squared == 0.0 {
            return self.distance(from, segment.start);
        }
        let along = ((from.x - segment.start.x) * dx + (from.y - segment.start.y) * dy) / squared;
        let along = along.clamp(0.0, 1.0);
        let nearest =
            Coordinate { x: segment.start.x + along * dx, y: segment.start.y + along * dy };
        self.distance(from, nearest)
    }

    fn middle(&self, segment: Segment) -> Coordinate {
        Coordinate {
            x: f64::midpoint(segment.start.x, segment.end.x),
            y: f64::midpoint(segment.start.y, segment.end.y),
        }
    }

    fn touches(&self, position: Coordinate, segment: Segment) -> bool {
        let length = self.distance(segment.start, segment.end);
        self.distance_to_segment(position, segment) <= TOLERANCE * length
    }

    fn crosses(&self, left: Segment, right: Segment) -> bool {
        turn(left, right.start) * turn(left, right.end) < 0.0
            && turn(right, left.start) * turn(right, left.end) < 0.0
    }

    fn is_inside(&self, position: Coordinate, ring: &[Coordinate]) -> bool {
        // Ray casting: a ray to the right crosses the ring an odd number of times if it starts inside.
        let crossings = segments(ring).filter(|segment| {
            let (low, high) = if segment.start.y <= segment.end.y {
                (segment.start, segment.end)
            } else {
                (segment.end, segment.start)
            };
            // Half open: a vertex that the ray passes through belongs to one of its two segments only and is counted
            // once.
            low.y <= position.y
                && position.y < high.y
                && turn(Segment { start: low, end: high }, position) > 0.0
        });
        crossings.count() % 2 == 1
    }

    fn is_inside_hole(
        &self,
        position: Coordinate,
        ring: &[Coordinate],
        allows: PointAllowance<'_>,
    ) -> bool {
        allows(ring.len() / CHEAP_POINTS) && self.is_inside(position, ring)
    }

    fn area(&self, ring: &[Coordinate], allows: PointAllowance<'_>) -> f64 {
        if !allows(ring.len() / CHEAP_POINTS) {
            return 0.0;
        }
        let doubled: f64 = segments(ring)
            .map(|segment| segment.start.x * segment.end.y - segment.end.x * segment.start.y)
            .sum();
        (doubled / 2.0).abs()
    }

    fn hole_area(&self, ring: &[Coordinate], allows: PointAllowance<'_>) -> f64 {
        self.area(ring, allows)
    }
}

/// Positive if a point lies to the left of a segment, negative to the right.
fn turn(segment: Segment, position: Coordinate) -> f64 {
    let Segment { start, end } = segment;
    (end.x - start.x) * (position.y - start.y) - (end.y - start.y) * (position.x - start.x)
}
