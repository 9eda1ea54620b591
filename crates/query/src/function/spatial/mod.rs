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

mod area;
mod distance;
mod relation;
mod validity;

#[cfg(test)]
mod tests;

pub(super) use {
    area::FUNCTIONS as AREA, distance::FUNCTIONS as DISTANCE, relation::FUNCTIONS as RELATION,
    validity::FUNCTIONS as VALIDITY,
};
