//! Resolve a patch path in an item.
//!
//! Owns finding the parent of the last segment, and the meaning of the last segment there: a property of an object, or
//! a position in an array. Does not own what an operation does with it.

use super::PatchPath;
use crate::{Json, Object};

/// The target of a patch path. Its parent exists.
pub(super) enum PatchTarget<'a> {
    /// The property with this name, present or not.
    Property(&'a mut Object, String),
    /// An element of an array, or the end of the array.
    Element(&'a mut Vec<Json>, ArrayPosition),
}

/// A position in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayPosition {
    /// This index, which may be beyond the end.
    Index(usize),
    /// `-`: after the last element.
    End,
}

/// Why a path could not be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatchTargetError {
    /// No value exists at this segment, or the value has no children.
    Absent(String),
    /// The segment is applied to an array and is neither an index nor `-`.
    NotAnIndex(String),
}

impl<'a> PatchTarget<'a> {
    /// Finds the parent of the last segment.
    pub(super) fn find(item: &'a mut Object, path: &PatchPath) -> Result<Self, PatchTargetError> {
        let mut parents = path.parents();
        let Some(first) = parents.next() else {
            return Ok(Self::Property(item, path.last().to_owned()));
        };
        let absent = |segment: &str| PatchTargetError::Absent(segment.to_owned());
        let mut value = item.get_mut(first).ok_or_else(|| absent(first))?;
        for segment in parents {
            value = child(value, segment).ok_or_else(|| absent(segment))?;
        }
        match value {
            Json::Object(object) => Ok(Self::Property(object, path.last().to_owned())),
            Json::Array(elements) => match ArrayPosition::parse(path.last()) {
                Some(position) => Ok(Self::Element(elements, position)),
                None => Err(PatchTargetError::NotAnIndex(path.last().to_owned())),
            },
            _ => Err(absent(path.last())),
        }
    }

    /// The value at the target, if it exists.
    pub(super) fn value(self) -> Option<&'a mut Json> {
        match self {
            Self::Property(object, name) => object.get_mut(&name),
            Self::Element(elements, ArrayPosition::Index(index)) => elements.get_mut(index),
            Self::Element(_, ArrayPosition::End) => None,
        }
    }
}

impl ArrayPosition {
    /// Parses `-`, or decimal digits without leading zeros.
    fn parse(segment: &str) -> Option<Self> {
        if segment == "-" {
            return Some(Self::End);
        }
        let digits = segment.bytes().all(|byte| byte.is_ascii_digit());
        // RFC 6901 has one spelling per index. The empty segment consists of digits too; `parse` refuses it below.
        if !digits || (segment.len() > 1 && segment.starts_with('0')) {
            return None;
        }
        segment.parse().ok().map(Self::Index)
    }
}

fn child<'a>(value: &'a mut Json, segment: &str) -> Option<&'a mut Json> {
    match value {
        Json::Object(object) => object.get_mut(segment),
        Json::Array(elements) => match ArrayPosition::parse(segment)? {
            ArrayPosition::Index(index) => elements.get_mut(index),
            ArrayPosition::End => None,
        },
        _ => None,
    }
}
