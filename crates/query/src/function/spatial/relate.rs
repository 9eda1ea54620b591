//! Relations between shapes.
//!
//! Owns covering, intersection, containment and distance, on any surface. Does not own the geometry of segments: see
//! `surface`. The edge of a shape belongs to it.

use super::geometry::{Coordinate, Geometry, Polygon, Segment, segments};
use super::surface::Surface;
use crate::budget::EvaluationBudget;

/// Units of comparing two segments, or a point and a segment: trigonometry on the earth.
const PAIR_UNITS: u64 = 2;

/// A surface, and what comparing shapes on it may consume. The work of two shapes is the product of their sizes, so
/// that it is counted for each point and each segment of one of them. A comparison that is refused has any result: the
/// call fails.
#[derive(Clone, Copy)]
pub(super) struct ShapeComparison<'call> {
    pub(super) surface: &'call dyn Surface,
    pub(super) budget: &'call EvaluationBudget,
}

impl ShapeComparison<'_> {
    /// Whether one more point or segment may be compared with a shape of this many segments.
    fn allows(&self, segments: usize) -> bool {
        self.budget.work((segments as u64).saturating_mul(PAIR_UNITS)).is_some()
    }
}

/// Whether the shapes have a point in common.
pub(super) fn intersects(
    comparison: ShapeComparison<'_>,
    left: &Geometry,
    right: &Geometry,
) -> bool {
    let meets = |shape: &Geometry, other: &Geometry| {
        let segments = other.segments().len();
        let mut vertices = shape.vertices().into_iter();
        vertices
            .any(|vertex| !comparison.allows(segments) || covers(comparison.surface, other, vertex))
    };
    // Two shapes that have a point in common either contain a vertex of each other or have crossing edges.
    meets(left, right) || meets(right, left) || edges_cross(comparison, left, right)
}

/// Whether every point of the first shape belongs to the second.
pub(super) fn within(comparison: ShapeComparison<'_>, inner: &Geometry, outer: &Geometry) -> bool {
    let surface = comparison.surface;
    let is_area = |geometry: &Geometry| matches!(geometry, Geometry::Area(_));
    if is_area(inner) && !is_area(outer) {
        return false;
    }
    let edges = inner.segments();
    // An edge whose ends are both on the outline may run outside between them, and touches edges without crossing
    // them. Its midpoint shows that.
    let outer_segments = outer.segments().len();
    let middles = edges.iter().map(|segment| surface.middle(*segment));
    let mut points = inner.vertices().into_iter().chain(middles);
    let is_covered = |point| comparison.allows(outer_segments) && covers(surface, outer, point);
    if !points.all(is_covered) || edges_cross(comparison, inner, outer) {
        return false;
    }
    // A hole of the outer shape may lie inside the inner one without touching its edge; then a vertex of the hole is
    // strictly inside.
    let is_strictly_inside = |point: Coordinate| {
        comparison.allows(edges.len())
            && covers(surface, inner, point)
            && !edges.iter().any(|segment| surface.touches(point, *segment))
    };
    !is_area(inner) || !outer.vertices().into_iter().any(is_strictly_inside)
}

/// The shortest distance between two shapes; zero if they intersect.
pub(super) fn distance(comparison: ShapeComparison<'_>, left: &Geometry, right: &Geometry) -> f64 {
    let surface = comparison.surface;
    if let (Geometry::Point(left), Geometry::Point(right)) = (left, right) {
        return surface.distance(*left, *right);
    }
    if intersects(comparison, left, right) {
        return 0.0;
    }
    let nearest = |shape: &Geometry, other: &Geometry| {
        let segments = other.segments();
        let vertices = shape.vertices().into_iter();
        let vertices = vertices.take_while(|_| comparison.allows(segments.len()));
        let distances = vertices.flat_map(|vertex| {
            segments.iter().map(move |segment| surface.distance_to_segment(vertex, *segment))
        });
        distances.fold(f64::INFINITY, f64::min)
    };
    // Without intersection, the shortest distance always starts at a vertex of one of the shapes.
    nearest(left, right).min(nearest(right, left))
}

/// The area of a shape; zero for points and lines.
pub(super) fn area(surface: &dyn Surface, geometry: &Geometry) -> f64 {
    let Geometry::Area(polygons) = geometry else { return 0.0 };
    let area = |polygon: &Polygon| {
        let holes: f64 = polygon.holes.iter().map(|hole| surface.hole_area(hole)).sum();
        // A hole that reaches beyond the outer ring must not make the area negative.
        (surface.area(&polygon.outer) - holes).max(0.0)
    };
    polygons.iter().map(area).sum()
}

/// Whether a point belongs to a shape.
fn covers(surface: &dyn Surface, geometry: &Geometry, point: Coordinate) -> bool {
    let Geometry::Area(polygons) = geometry else {
        return geometry.segments().into_iter().any(|segment| surface.touches(point, segment));
    };
    polygons.iter().any(|polygon| {
        let is_on_edge = polygon
            .rings()
            .any(|ring| segments(ring).any(|segment| surface.touches(point, segment)));
        is_on_edge
            || (surface.is_inside(point, &polygon.outer)
                && !polygon.holes.iter().any(|hole| surface.is_inside_hole(point, hole)))
    })
}

/// Whether a segment of one shape crosses a segment of the other.
fn edges_cross(comparison: ShapeComparison<'_>, left: &Geometry, right: &Geometry) -> bool {
    let others: Vec<Segment> = right.segments();
    left.segments().into_iter().any(|segment| {
        !comparison.allows(others.len())
            || others.iter().any(|other| comparison.surface.crosses(segment, *other))
    })
}
