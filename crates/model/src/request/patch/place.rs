//! The place in an item that a patch path leads to.
//!
//! Owns the walk to the parent of the last segment and what the last segment means there: a property of an object, or a
//! position of an array. Does not own what an operation then does.

use super::PatchPath;
use crate::{Json, Object};

/// A place whose parent exists.
pub(super) enum Place<'a> {
    /// The property of that name, present or not.
    Property(&'a mut Object, String),
    /// The element at that position, or the end of the array.
    Element(&'a mut Vec<Json>, Position),
}

/// Where in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// At this index, which may lie beyond the end.
    Index(usize),
    /// `-`: after the last element.
    End,
}

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// Nothing exists at this segment, or what exists has no children.
    Absent(String),
    /// The segment meets an array and is neither an index nor `-`.
    NotAnIndex(String),
}

impl<'a> Place<'a> {
    /// Walks to the parent of the last segment.
    pub(super) fn find(item: &'a mut Object, path: &PatchPath) -> Result<Self, NoPlace> {
        let mut parents = path.parents();
        let Some(first) = parents.next() else {
            return Ok(Self::Property(item, path.last().to_owned()));
        };
        let absent = |segment: &str| NoPlace::Absent(segment.to_owned());
        let mut value = item.get_mut(first).ok_or_else(|| absent(first))?;
        for segment in parents {
            value = child(value, segment).ok_or_else(|| absent(segment))?;
        }
        match value {
            Json::Object(object) => Ok(Self::Property(object, path.last().to_owned())),
            Json::Array(elements) => match Position::parse(path.last()) {
                Some(position) => Ok(Self::Element(elements, position)),
                None => Err(NoPlace::NotAnIndex(path.last().to_owned())),
            },
            _ => Err(absent(path.last())),
        }
    }

    /// The value at the place, when there is one.
    pub(super) fn value(self) -> Option<&'a mut Json> {
        match self {
            Self::Property(object, name) => object.get_mut(&name),
            Self::Element(elements, Position::Index(index)) => elements.get_mut(index),
            Self::Element(_, Position::End) => None,
        }
    }
}

impl Position {
    /// `-`, or decimal digits without leading zeros.
    fn parse(segment: &str) -> Option<Self> {
        if segment == "-" {
            return Some(Self::End);
        }
        let digits = segment.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || (segment.len() > 1 && segment.starts_with('0')) {
            return None;
        }
        segment.parse().ok().map(Self::Index)
    }
}

fn child<'a>(value: &'a mut Json, segment: &str) -> Option<&'a mut Json> {
    match value {
        Json::Object(object) => object.get_mut(segment),
        Json::Array(elements) => match Position::parse(segment)? {
            Position::Index(index) => elements.get_mut(index),
            Position::End => None,
        },
        _ => None,
    }
}
