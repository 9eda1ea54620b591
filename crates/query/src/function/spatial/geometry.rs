//! Shapes: points, lines and polygons.
//!
//! Owns their vertices and segments. Does not own GeoJSON (see `read`) nor what lies inside a shape (see `surface`).

/// A point: longitude (`x`) and latitude (`y`) on the earth, any two coordinates on a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coordinate {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The straight line between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    pub(super) start: Coordinate,
    pub(super) end: Coordinate,
}

/// A closed line: its last point is its first.
pub(super) type LinearRing = Vec<Coordinate>;

/// An area with holes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polygon {
    pub(super) outer: LinearRing,
    pub(super) holes: Vec<LinearRing>,
}

/// Any shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Geometry {
    Point(Coordinate),
    LineString(Vec<Coordinate>),
    /// One polygon or many.
    Area(Vec<Polygon>),
}

impl Geometry {
    /// All points of the GeoJSON value.
    pub(super) fn vertices(&self) -> Vec<Coordinate> {
        match self {
            Self::Point(position) => vec![*position],
            Self::LineString(positions) => positions.clone(),
            Self::Area(polygons) => {
                polygons.iter().flat_map(Polygon::rings).flatten().copied().collect()
            }
        }
    }

    /// All segments; a point is a segment of length zero.
    pub(super) fn segments(&self) -> Vec<Segment> {
        match self {
            Self::Point(position) => vec![Segment { start: *position, end: *position }],
            Self::LineString(positions) => segments(positions).collect(),
            Self::Area(polygons) => {
                polygons.iter().flat_map(Polygon::rings).flat_map(|ring| segments(ring)).collect()
            }
        }
    }
}

impl Polygon {
    /// The outer ring, then the holes.
    pub(super) fn rings(&self) -> impl Iterator<Item = &LinearRing> {
        std::iter::once(&self.outer).chain(&self.holes)
    }
}

/// The segments along a line.
pub(super) fn segments(positions: &[Coordinate]) -> impl Iterator<Item = Segment> {
    positions
        .iter()
        .zip(positions.iter().skip(1))
        .map(|(start, end)| Segment { start: *start, end: *end })
}
