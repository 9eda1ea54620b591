//! Whether the coordinates of a container are on the earth or on a plane.
//!
//! Owns the choice and its wire form. Does not own geometry.

use super::members::Members;
use crate::{Json, Object, Result, ValidationError};

/// The meaning of coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GeospatialConfig {
    /// Longitude and latitude on the earth.
    #[default]
    Geography,
    /// Coordinates on a plane.
    Geometry,
}

impl GeospatialConfig {
    /// Parses the wire form.
    pub fn from_json(json: &Json) -> Result<Self> {
        match Members::new("geospatial config", json)?.text("type")? {
            None => Ok(Self::default()),
            Some(text) if text.eq_ignore_ascii_case("Geography") => Ok(Self::Geography),
            Some(text) if text.eq_ignore_ascii_case("Geometry") => Ok(Self::Geometry),
            Some(text) => Err(ValidationError::new(format!(
                "The geospatial type '{text}' is unknown; use Geography or Geometry."
            ))),
        }
    }

    /// The wire form.
    #[must_use]
    pub fn to_json(self) -> Json {
        let mut object = Object::new();
        object.insert(
            "type",
            match self {
                Self::Geography => "Geography",
                Self::Geometry => "Geometry",
            },
        );
        Json::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_round_trip() {
        for kind in [GeospatialConfig::Geography, GeospatialConfig::Geometry] {
            assert_eq!(GeospatialConfig::from_json(&kind.to_json()), Ok(kind));
        }
        assert!(GeospatialConfig::from_json(&Json::parse(br#"{"type":"x"}"#).unwrap()).is_err());
    }
}
