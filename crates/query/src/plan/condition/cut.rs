//! Cuts: positions between values.
//!
//! Owns the ends of ranges in the total order of stored values: null, false, true, numbers, strings, arrays, objects. A
//! cut lies between two values, so a range never needs to say whether its ends are inclusive. Each cut has exactly one
//! representation, so cuts can be compared with `==`.

use std::cmp::Ordering;

use model::Json;

/// A position between two values.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// Before the first value of a kind.
    BeforeKind(ValueKind),
    /// Before a value.
    Before(Json),
    /// After a value.
    After(Json),
    /// After every string with this prefix.
    AfterPrefix(String),
    /// After everything.
    End,
}

/// The kinds of stored values, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `false` and `true`.
    Bool,
    /// Numbers.
    Number,
    /// Text.
    String,
    /// Arrays, by their hash.
    Array,
    /// Objects, by their hash.
    Object,
}

impl ValueKind {
    /// The kind of a value.
    #[must_use]
    pub fn from_json(value: &Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(_) => Self::Bool,
            Json::Number(_) => Self::Number,
            Json::String(_) => Self::String,
            Json::Array(_) => Self::Array,
            Json::Object(_) => Self::Object,
        }
    }

    /// The cut before its first value.
    #[must_use]
    pub fn start(self) -> Cut {
        match self {
            // Null has one value, so its beginning and "before null" are the same position, and must have one
            // representation.
            Self::Null => Cut::Before(Json::Null),
            Self::Bool => Cut::Before(Json::Bool(false)),
            other => Cut::BeforeKind(other),
        }
    }

    /// The cut after its last value.
    #[must_use]
    pub fn end(self) -> Cut {
        match self {
            Self::Null => Self::Bool.start(),
            Self::Bool => Self::Number.start(),
            Self::Number => Self::String.start(),
            Self::String => Self::Array.start(),
            Self::Array => Self::Object.start(),
            Self::Object => Cut::End,
        }
    }
}

impl Cut {
    /// The cut before every value.
    #[must_use]
    pub fn start() -> Self {
        ValueKind::Null.start()
    }

    /// The cut before a value.
    #[must_use]
    pub fn before(value: &Json) -> Self {
        match value {
            // The empty string is the first of all strings.
            Json::String(text) if text.is_empty() => ValueKind::String.start(),
            other => Self::Before(other.clone()),
        }
    }

    /// The cut after a value.
    #[must_use]
    pub fn after(value: &Json) -> Self {
        match value {
            Json::Null => ValueKind::Null.end(),
            Json::Bool(false) => Self::Before(Json::Bool(true)),
            Json::Bool(true) => ValueKind::Bool.end(),
            other => Self::After(other.clone()),
        }
    }

    /// The cut after every string with this prefix.
    #[must_use]
    pub fn after_prefix(prefix: &str) -> Self {
        if prefix.is_empty() {
            ValueKind::String.end()
        } else {
            Self::AfterPrefix(prefix.to_owned())
        }
    }

    /// Whether a value lies before this cut.
    #[must_use]
    pub fn is_after(&self, value: &Json) -> bool {
        Self::Before(value.clone()).compare(self) == Ordering::Less
    }

    /// Compares two cuts.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self.kind(), other.kind()) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(left), Some(right)) => {
                left.cmp(&right).then_with(|| self.order_within_kind(other))
            }
        }
    }

    /// The kind of the values next to this cut; `None` at the end.
    fn kind(&self) -> Option<ValueKind> {
        match self {
            Self::BeforeKind(kind) => Some(*kind),
            Self::Before(value) | Self::After(value) => Some(ValueKind::from_json(value)),
            Self::AfterPrefix(_) => Some(ValueKind::String),
            Self::End => None,
        }
    }

    fn order_within_kind(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::BeforeKind(_), Self::BeforeKind(_)) => Ordering::Equal,
            (Self::BeforeKind(_), _) => Ordering::Less,
            (_, Self::BeforeKind(_)) => Ordering::Greater,
            (Self::AfterPrefix(left), Self::AfterPrefix(right)) => order_prefixes(left, right),
            (Self::AfterPrefix(prefix), Self::Before(value) | Self::After(value)) => {
                order_prefix(prefix, value)
            }
            (Self::Before(value) | Self::After(value), Self::AfterPrefix(prefix)) => {
                order_prefix(prefix, value).reverse()
            }
            (Self::Before(left) | Self::After(left), Self::Before(right) | Self::After(right)) => {
                let is_after = |cut: &Self| matches!(cut, Self::After(_));
                model::compare(Some(left), Some(right)).then(is_after(self).cmp(&is_after(other)))
            }
            (Self::End, _) | (_, Self::End) => Ordering::Equal,
        }
    }
}

/// Compares the end of a prefix with a string.
fn order_prefix(prefix: &str, value: &Json) -> Ordering {
    match value.as_str() {
        // The cut lies after every string with the prefix, however long.
        Some(text) if text.starts_with(prefix) => Ordering::Greater,
        Some(text) => model::compare_strings(prefix, text),
        None => Ordering::Equal,
    }
}

/// Compares the ends of two prefixes. If one is a prefix of the other, the longer one ends first.
fn order_prefixes(left: &str, right: &str) -> Ordering {
    if left == right {
        Ordering::Equal
    } else if left.starts_with(right) {
        Ordering::Less
    } else if right.starts_with(left) {
        Ordering::Greater
    } else {
        model::compare_strings(left, right)
    }
}
