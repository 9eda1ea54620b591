//! Relations between shapes.
//!
//! Owns covering, intersection, containment and distance, on any surface. Does not own the geometry of segments: see
//! `surface`. The edge of a shape belongs to it.

use super::geometry::{Coordinate, Geometry, Polygon, Segment, segments};
use super::surface::Surface;

/// Whether the shapes have a point in common.
pub(super) fn intersects(surface: &dyn Surface, left: &Geometry, right: &Geometry) -> bool {
    let meets = |shape: &Geometry, other: &Geometry| {
        shape.vertices().into_iter().any(|vertex| covers(surface, other, vertex))
    };
    // Two shapes that have a point in common either contain a vertex of each other or have crossing edges.
    meets(left, right) || meets(right, left) || edges_cross(surface, left, right)
}

/// Whether every point of the first shape belongs to the second.
pub(super) fn within(surface: &dyn Surface, inner: &Geometry, outer: &Geometry) -> bool {
    let is_area = |geometry: &Geometry| matches!(geometry, Geometry::Area(_));
    if is_area(inner) && !is_area(outer) {
        return false;
    }
    let edges = inner.segments();
    // An edge whose ends are both on the outline may run outside between them, and touches edges without crossing
    // them. Its midpoint shows that.
    let middles = edges.iter().map(|segment| surface.middle(*segment));
    let mut points = inner.vertices().into_iter().chain(middles);
    if !points.all(|point| covers(surface, outer, point)) || edges_cross(surface, inner, outer) {
        return false;
    }
    // A hole of the outer shape may lie inside the inner one without touching its edge; then a vertex of the hole is
    // strictly inside.
    let is_strictly_inside = |point: Coordinate| {
        covers(surface, inner, point)
            && !edges.iter().any(|segment| surface.touches(point, *segment))
    };
    !is_area(inner) || !outer.vertices().into_iter().any(is_strictly_inside)
}

/// The shortest distance between two shapes; zero if they intersect.
pub(super) fn distance(surface: &dyn Surface, left: &Geometry, right: &Geometry) -> f64 {
    if let (Geometry::Point(left), Geometry::Point(right)) = (left, right) {
        return surface.distance(*left, *right);
    }
    if intersects(surface, left, right) {
        return 0.0;
    }
    let nearest = |shape: &Geometry, other: &Geometry| {
        let segments = other.segments();
        let vertices = shape.vertices().into_iter();
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
fn edges_cross(surface: &dyn Surface, left: &Geometry, right: &Geometry) -> bool {
    let others: Vec<Segment> = right.segments();
    left.segments()
        .into_iter()
        .any(|segment| others.iter().any(|other| surface.crosses(segment, *other)))
}
