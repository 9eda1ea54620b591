//! Places between values.
//!
//! Owns the ends of ranges in the total order of stored values: null, false, true, numbers, strings, arrays, objects. A
//! cut lies between two values, so a range never needs to say whether its ends belong to it. Each place has one form.

use std::cmp::Ordering;

use model::Json;

/// A place between two values.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// Before the first value of a kind.
    BeforeKind(ValueKind),
    /// Before a value.
    Before(Json),
    /// After a value.
    After(Json),
    /// After every text that begins so.
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
    /// Arrays, by their fingerprint.
    Array,
    /// Objects, by their fingerprint.
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

    /// The place before its first value.
    #[must_use]
    pub fn start(self) -> Cut {
        match self {
            Self::Null => Cut::Before(Json::Null),
            Self::Bool => Cut::Before(Json::Bool(false)),
            other => Cut::BeforeKind(other),
        }
    }

    /// The place after its last value.
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
    /// The place before every value.
    #[must_use]
    pub fn start() -> Self {
        ValueKind::Null.start()
    }

    /// The place before a value.
    #[must_use]
    pub fn before(value: &Json) -> Self {
        match value {
            Json::String(text) if text.is_empty() => ValueKind::String.start(),
            other => Self::Before(other.clone()),
        }
    }

    /// The place after a value.
    #[must_use]
    pub fn after(value: &Json) -> Self {
        match value {
            Json::Null => ValueKind::Null.end(),
            Json::Bool(false) => Self::Before(Json::Bool(true)),
            Json::Bool(true) => ValueKind::Bool.end(),
            other => Self::After(other.clone()),
        }
    }

    /// The place after every text that begins so.
    #[must_use]
    pub fn after_prefix(prefix: &str) -> Self {
        if prefix.is_empty() {
            ValueKind::String.end()
        } else {
            Self::AfterPrefix(prefix.to_owned())
        }
    }

    /// Whether a value lies before this place.
    #[must_use]
    pub fn is_after(&self, value: &Json) -> bool {
        Self::Before(value.clone()).compare(self) == Ordering::Less
    }

    /// Which of two places comes first.
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

    /// The kind of the values around this place; none at the end.
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
                let side = |cut: &Self| matches!(cut, Self::After(_));
                model::compare(Some(left), Some(right)).then(side(self).cmp(&side(other)))
            }
            (Self::End, _) | (_, Self::End) => Ordering::Equal,
        }
    }
}

/// Where the end of a prefix lies against a text.
fn order_prefix(prefix: &str, value: &Json) -> Ordering {
    match value.as_str() {
        Some(text) if text.starts_with(prefix) => Ordering::Greater,
        Some(text) => model::compare_strings(prefix, text),
        None => Ordering::Equal,
    }
}

/// The end of a longer prefix lies before the end of the prefix it begins with.
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
