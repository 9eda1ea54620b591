//! Spatial indexes: which paths contain shapes, and of which types.
//!
//! Owns the definition and its wire form. Does not own geometry. `policy` checks whether a bounding box is required.

use super::IndexPath;
use crate::resource::members::{Members, describe};
use crate::{Json, Number, Object, Result, ValidationError};

/// One path that contains shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct SpatialIndex {
    /// Path of the shapes.
    pub path: IndexPath,
    /// Which types are indexed.
    pub types: Vec<SpatialType>,
    /// The part of the plane that is indexed; only for geometry.
    pub bounding_box: Option<BoundingBox>,
}

/// Type of an indexed shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpatialType {
    /// A point.
    Point,
    /// A line of several points.
    LineString,
    /// An area.
    Polygon,
    /// Several areas.
    MultiPolygon,
}

/// A rectangle of the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundingBox {
    /// Left side.
    pub xmin: Number,
    /// Lower side.
    pub ymin: Number,
    /// Right side.
    pub xmax: Number,
    /// Upper side.
    pub ymax: Number,
}

impl SpatialIndex {
    pub(super) fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("spatial index", json)?;
        let mut types = Vec::new();
        for element in members.array("types")? {
            let spatial_type = SpatialType::from_json(element)?;
            if !types.contains(&spatial_type) {
                types.push(spatial_type);
            }
        }
        if types.is_empty() {
            // Without types all of them are meant; a read of the policy returns the whole list.
            types = SpatialType::ALL.to_vec();
        }
        let path = IndexPath::parse(members.required_text("path")?)?;
        let bounding_box = members
            .get("boundingBox")
            .map(|json| BoundingBox::from_json(json, &path))
            .transpose()?;
        Ok(Self { path, types, bounding_box })
    }

    pub(super) fn to_json(&self) -> Json {
        let types: Vec<Json> = self.types.iter().map(|kind| kind.as_str().into()).collect();
        let mut object = Object::new();
        object.insert("path", self.path.to_string());
        object.insert("types", types);
        if let Some(bounding_box) = &self.bounding_box {
            object.insert("boundingBox", bounding_box.to_json());
        }
        Json::Object(object)
    }
}

impl SpatialType {
    const ALL: [Self; 4] = [Self::Point, Self::LineString, Self::Polygon, Self::MultiPolygon];

    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Point => "Point",
            Self::LineString => "LineString",
            Self::Polygon => "Polygon",
            Self::MultiPolygon => "MultiPolygon",
        }
    }

    fn from_json(json: &Json) -> Result<Self> {
        let text = json.as_str().unwrap_or_default();
        let found = Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            ValidationError::new(format!(
                "The spatial type {} is unknown; use Point, LineString, Polygon or MultiPolygon.",
                describe(json)
            ))
        })
    }
}

impl BoundingBox {
    fn from_json(json: &Json, path: &IndexPath) -> Result<Self> {
        let members = Members::new("bounding box", json)?;
        let side = |name: &str| match members.get(name) {
            Some(Json::Number(number)) => Ok(number.clone()),
            other => {
                let given = other.unwrap_or(&Json::Null);
                Err(members.refuse(name, given, "a number"))
            }
        };
        let sides = Self {
            xmin: side("xmin")?,
            ymin: side("ymin")?,
            xmax: side("xmax")?,
            ymax: side("ymax")?,
        };
        for (axis, min, max) in [("x", &sides.xmin, &sides.xmax), ("y", &sides.ymin, &sides.ymax)] {
            if min.compare(max).is_ge() {
                return Err(ValidationError::new(format!(
                    "The value of parameter '{axis}max' must be greater than the value of parameter '{axis}min' in \
                     'boundingBox' for spatial path '{path}'"
                )));
            }
        }
        Ok(sides)
    }

    fn to_json(&self) -> Json {
        let mut object = Object::new();
        for (name, side) in
            [("xmin", &self.xmin), ("ymin", &self.ymin), ("xmax", &self.xmax), ("ymax", &self.ymax)]
        {
            object.insert(name, Json::Number(side.clone()));
        }
        Json::Object(object)
    }
}
