//! Relations between shapes.
//!
//! Owns covering, intersection, containment and distance, on any surface. Does not own the geometry of segments: see
//! `surface`. The edge of a shape belongs to it.

use super::geometry::{Coordinate, Geometry, Polygon, Segment, segments};
use super::surface::Surface;
use crate::budget::EvaluationBudget;

/// Units of comparing two segments, or a point and a segment: trigonometry on the earth.
const PAIR_UNITS: u64 = 2;

/// Units of a distance between a point and a segment: up to three geodesics.
const DISTANCE_UNITS: u64 = 32;

/// Units of each point of a ring whose area is measured: one geodesic.
const AREA_UNITS: u64 = 16;

/// Segments between two questions to the budget.
const PART_SEGMENTS: usize = 256;

/// A surface, and what comparing shapes on it may consume. The work of two shapes is the product of their sizes, so
/// that it is counted for each part of one of them. A comparison that is refused has any result: the call fails.
#[derive(Clone, Copy)]
pub(super) struct ShapeComparison<'call> {
    pub(super) surface: &'call dyn Surface,
    pub(super) budget: &'call EvaluationBudget,
}

impl ShapeComparison<'_> {
    /// Whether so many points or segments may be looked at.
    fn allows(&self, segments: usize, units: u64) -> bool {
        self.budget.work((segments as u64).saturating_mul(units)).is_some()
    }

    /// Whether one of the segments passes a test.
    fn any(&self, segments: &[Segment], passes: impl Fn(Segment) -> bool) -> bool {
        segments.chunks(PART_SEGMENTS).any(|part| {
            !self.allows(part.len(), PAIR_UNITS) || part.iter().any(|segment| passes(*segment))
        })
    }

    /// Whether a point lies on one of the segments.
    fn touches(&self, point: Coordinate, segments: &[Segment]) -> bool {
        self.any(segments, |segment| self.surface.touches(point, segment))
    }
}

/// Whether the shapes have a point in common.
pub(super) fn intersects(
    comparison: ShapeComparison<'_>,
    left: &Geometry,
    right: &Geometry,
) -> bool {
    let meets = |shape: &Geometry, other: &Geometry| {
        let other = MeasuredShape::new(other);
        shape.vertices().into_iter().any(|vertex| covers(comparison, &other, vertex))
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
    let (measured_inner, measured_outer) = (MeasuredShape::new(inner), MeasuredShape::new(outer));
    let middles = edges.iter().map(|segment| surface.middle(*segment));
    let mut points = inner.vertices().into_iter().chain(middles);
    let is_covered = |point| covers(comparison, &measured_outer, point);
    if !points.all(is_covered) || edges_cross(comparison, inner, outer) {
        return false;
    }
    // A hole of the outer shape may lie inside the inner one without touching its edge; then a vertex of the hole is
    // strictly inside.
    let is_strictly_inside = |point: Coordinate| {
        covers(comparison, &measured_inner, point) && !comparison.touches(point, &edges)
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
        let mut nearest = f64::INFINITY;
        for vertex in shape.vertices() {
            for part in segments.chunks(PART_SEGMENTS) {
                if !comparison.allows(part.len(), DISTANCE_UNITS) {
                    return nearest;
                }
                let distance = |segment: &Segment| surface.distance_to_segment(vertex, *segment);
                nearest = part.iter().map(distance).fold(nearest, f64::min);
            }
        }
        nearest
    };
    // Without intersection, the shortest distance always starts at a vertex of one of the shapes.
    nearest(left, right).min(nearest(right, left))
}

/// The area of a shape; zero for points and lines.
pub(super) fn area(comparison: ShapeComparison<'_>, geometry: &Geometry) -> f64 {
    let Geometry::Area(polygons) = geometry else { return 0.0 };
    let allows = |points: usize| comparison.allows(points, AREA_UNITS);
    let area = |polygon: &Polygon| {
        let holes = polygon.holes.iter().map(|hole| comparison.surface.hole_area(hole, &allows));
        let holes: f64 = holes.sum();
        // A hole that reaches beyond the outer ring must not make the area negative.
        (comparison.surface.area(&polygon.outer, &allows) - holes).max(0.0)
    };
    polygons.iter().map(area).sum()
}

/// A shape with the segments of its parts, which are compared with many points.
struct MeasuredShape<'shape> {
    geometry: &'shape Geometry,
    /// For each polygon those of its rings; for anything else all of them.
    parts: Vec<Vec<Segment>>,
}

impl<'shape> MeasuredShape<'shape> {
    fn new(geometry: &'shape Geometry) -> Self {
        let parts = match geometry {
            Geometry::Area(polygons) => polygons
                .iter()
                .map(|polygon| polygon.rings().flat_map(|ring| segments(ring)).collect())
                .collect(),
            _ => vec![geometry.segments()],
        };
        Self { geometry, parts }
    }
}

/// Whether a point belongs to a shape.
fn covers(comparison: ShapeComparison<'_>, shape: &MeasuredShape<'_>, point: Coordinate) -> bool {
    let surface = comparison.surface;
    let Geometry::Area(polygons) = shape.geometry else {
        return shape.parts.iter().any(|part| comparison.touches(point, part));
    };
    let allows = |points: usize| comparison.allows(points, AREA_UNITS);
    polygons.iter().zip(&shape.parts).any(|(polygon, part)| {
        comparison.touches(point, part)
            || (comparison.allows(polygon.outer.len(), PAIR_UNITS)
                && surface.is_inside(point, &polygon.outer)
                && !polygon.holes.iter().any(|hole| surface.is_inside_hole(point, hole, &allows)))
    })
}

/// Whether a segment of one shape crosses a segment of the other.
fn edges_cross(comparison: ShapeComparison<'_>, left: &Geometry, right: &Geometry) -> bool {
    let others: Vec<Segment> = right.segments();
    left.segments()
        .into_iter()
        .any(|segment| comparison.any(&others, |other| comparison.surface.crosses(segment, other)))
}
