//! Functions on points and shapes.
//!
//! Owns GeoJSON shapes, distances, areas and the relations between shapes, on the earth and on a plane. Does not own
//! spatial indexes: every result is computed from the coordinates.

mod geometry;
mod read;

mod surface;

mod earth;
mod plane;
mod relate;

pub(super) mod area;
pub(super) mod distance;
pub(super) mod relation;
pub(super) mod validity;

#[cfg(test)]
mod tests;
