//! The earth: the WGS-84 ellipsoid, in metres.
//!
//! Owns distances and areas, which `geographiclib` computes on the ellipsoid, and sidedness and crossings, which are
//! decided on a sphere with the same directions. A counter-clockwise ring bounds the area inside it; a clockwise one
//! bounds everything outside.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use geographiclib_rs::{Geodesic, InverseGeodesic, PolygonArea, Winding};

use super::geometry::{Coordinate, Segment};
use super::surface::{PointAllowance, Surface};

/// The surface of the earth.
pub(super) struct Earth;

/// Points closer to a great circle than this, in radians, lie on it: less than a micrometre.
const TOLERANCE: f64 = 1e-13;

static ELLIPSOID: LazyLock<Geodesic> = LazyLock::new(Geodesic::wgs84);

impl Surface for Earth {
    fn distance(&self, from: Coordinate, to: Coordinate) -> f64 {
        ELLIPSOID.inverse(from.y, from.x, to.y, to.x)
    }

    fn distance_to_segment(&self, from: Coordinate, segment: Segment) -> f64 {
        // Directions are those of a sphere, so the nearest point of the arc is approximate; its distance is measured
        // on the ellipsoid.
        let ends = self.distance(from, segment.start).min(self.distance(from, segment.end));
        let Some(arc) = Arc::new(segment) else { return ends };
        let direction = Vector::from(from);
        let above = arc.normal.scale(direction.dot(arc.normal));
        // The foot of the perpendicular on the great circle. It is undefined for a point at the pole of that circle,
        // which is equally far from all of it.
        match direction.minus(above).unit() {
            Some(nearest) if arc.spans(nearest) => ends.min(self.distance(from, nearest.into())),
            _ => ends,
        }
    }

    fn middle(&self, segment: Segment) -> Coordinate {
        let sum = Vector::from(segment.start).plus(Vector::from(segment.end));
        sum.unit().map_or(segment.start, Coordinate::from)
    }

    fn touches(&self, position: Coordinate, segment: Segment) -> bool {
        let point = Vector::from(position);
        let is_end = |end: Coordinate| point.minus(Vector::from(end)).length() <= TOLERANCE;
        if is_end(segment.start) || is_end(segment.end) {
            return true;
        }
        Arc::new(segment)
            .is_some_and(|arc| point.dot(arc.normal).abs() <= TOLERANCE && arc.spans(point))
    }

    fn crosses(&self, left: Segment, right: Segment) -> bool {
        let (Some(left), Some(right)) = (Arc::new(left), Arc::new(right)) else { return false };
        let sides = |arc: &Arc, other: &Arc| {
            let (start, end) = (other.start.dot(arc.normal), other.end.dot(arc.normal));
            // An end that lies on the other arc touches it. That is decided by `touches`, with the same tolerance.
            start * end < 0.0 && start.abs() > TOLERANCE && end.abs() > TOLERANCE
        };
        if !sides(&left, &right) || !sides(&right, &left) {
            return false;
        }
        // Two great circles meet at two opposite points; one of them must be on both arcs.
        let meeting = left.normal.cross(right.normal);
        let opposite = meeting.scale(-1.0);
        (left.spans(meeting) && right.spans(meeting))
            || (left.spans(opposite) && right.spans(opposite))
    }

    /// Projects the ring stereographically from the point opposite to the given one, so that only that opposite point
    /// goes to infinity. A ring around the given point then winds around the origin once; if the winding number is
    /// zero, the point is inside exactly if the ring is clockwise.
    fn is_inside(&self, position: Coordinate, ring: &[Coordinate]) -> bool {
        let up = Vector::from(position);
        let Some((east, north)) = up.tangents() else { return false };
        let projected: Vec<(f64, f64)> = ring
            .iter()
            .map(|vertex| {
                let vertex = Vector::from(*vertex);
                // Bounded away from zero: a vertex exactly opposite would be infinitely far away.
                let scale = 1.0 / (1.0 + vertex.dot(up)).max(f64::EPSILON);
                (vertex.dot(east) * scale, vertex.dot(north) * scale)
            })
            .collect();
        let (mut angle, mut area) = (0.0, 0.0);
        for ((x, y), (next_x, next_y)) in projected.iter().zip(projected.iter().skip(1)) {
            let cross = x * next_y - next_x * y;
            angle += cross.atan2(x * next_x + y * next_y);
            area += cross;
        }
        match (angle / TAU).round() {
            turns if turns > 0.0 => true,
            turns if turns < 0.0 => false,
            _ => area < 0.0,
        }
    }

    fn is_inside_hole(
        &self,
        position: Coordinate,
        ring: &[Coordinate],
        allows: PointAllowance<'_>,
    ) -> bool {
        // Holes are written in either orientation. The smaller side is meant, since a hole larger than a hemisphere
        // makes no sense.
        if self.area(ring, allows) <= ELLIPSOID.area() / 2.0 {
            return self.is_inside(position, ring);
        }
        let reversed: Vec<Coordinate> = ring.iter().rev().copied().collect();
        self.is_inside(position, &reversed)
    }

    fn area(&self, ring: &[Coordinate], allows: PointAllowance<'_>) -> f64 {
        /// Points between two questions to the budget.
        const PART_POINTS: usize = 64;
        let mut polygon = PolygonArea::new(&ELLIPSOID, Winding::CounterClockwise);
        // The polygon closes itself, so the repeated first vertex is skipped.
        for part in ring.get(1..).unwrap_or_default().chunks(PART_POINTS) {
            if !allows(part.len()) {
                return 0.0;
            }
            for position in part {
                polygon.add_point(position.y, position.x);
            }
        }
        let (_, area, _) = polygon.compute(false);
        area
    }

    fn hole_area(&self, ring: &[Coordinate], allows: PointAllowance<'_>) -> f64 {
        let area = self.area(ring, allows);
        area.min(ELLIPSOID.area() - area)
    }
}

/// The shorter arc of the great circle between two points.
struct Arc {
    start: Vector,
    end: Vector,
    normal: Vector,
}

impl Arc {
    /// `None` if the points are equal or opposite: then they do not determine a great circle.
    fn new(segment: Segment) -> Option<Self> {
        let (start, end) = (Vector::from(segment.start), Vector::from(segment.end));
        Some(Self { start, end, normal: start.cross(end).unit()? })
    }

    /// Whether a point of the great circle lies between the ends.
    fn spans(&self, point: Vector) -> bool {
        self.start.cross(point).dot(self.normal) >= 0.0
            && point.cross(self.end).dot(self.normal) >= 0.0
    }
}

/// A direction from the centre of the earth.
#[derive(Clone, Copy)]
struct Vector {
    x: f64,
    y: f64,
    z: f64,
}

impl Vector {
    fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    fn minus(self, other: Self) -> Self {
        self.plus(other.scale(-1.0))
    }

    fn scale(self, factor: f64) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The unit vector in the same direction; `None` for the zero vector.
    fn unit(self) -> Option<Self> {
        let length = self.length();
        (length > TOLERANCE).then(|| self.scale(1.0 / length))
    }

    /// Two tangents of the surface, the second a quarter turn counter-clockwise from the first.
    fn tangents(self) -> Option<(Self, Self)> {
        // Any axis that is not nearly parallel to the point, so that the cross product is well conditioned.
        let axis = if self.z.abs() < 0.9 {
            Self { x: 0.0, y: 0.0, z: 1.0 }
        } else {
            Self { x: 1.0, y: 0.0, z: 0.0 }
        };
        let east = axis.cross(self).unit()?;
        Some((east, self.cross(east)))
    }
}

impl From<Coordinate> for Vector {
    fn from(position: Coordinate) -> Self {
        let (longitude, latitude) = (position.x.to_radians(), position.y.to_radians());
        Self {
            x: latitude.cos() * longitude.cos(),
            y: latitude.cos() * longitude.sin(),
            z: latitude.sin(),
        }
    }
}

impl From<Vector> for Coordinate {
    fn from(vector: Vector) -> Self {
        Self {
            x: vector.y.atan2(vector.x).to_degrees(),
            y: vector.z.atan2(vector.x.hypot(vector.y)).to_degrees(),
        }
    }
}
