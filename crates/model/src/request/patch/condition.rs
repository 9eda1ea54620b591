//! The condition of a patch, as a tree of predicates over the item.
//!
//! Owns evaluation in three values: true, false and undefined, of which only true lets the patch run. Does not own the
//! text form of the service (`from c where ...`): the query crate parses it into this tree.

use std::cmp::Ordering;

use crate::{Json, PropertyPath, compare_strings};

/// What must hold of an item before it is patched.
#[derive(Clone, Debug, PartialEq)]
pub enum PatchCondition {
    /// A property compared with a value.
    Compare {
        /// The property.
        path: PropertyPath,
        /// How.
        operator: Comparison,
        /// The value.
        value: Json,
    },
    /// Whether a property is there.
    IsDefined(PropertyPath),
    /// All of these.
    And(Vec<PatchCondition>),
    /// Any of these.
    Or(Vec<PatchCondition>),
    /// The opposite.
    Not(Box<PatchCondition>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl PatchCondition {
    /// Whether the item may be patched.
    #[must_use]
    pub fn holds(&self, item: &Json) -> bool {
        self.evaluate(item) == Some(true)
    }

    /// The truth of the condition for an item; none is undefined.
    #[must_use]
    pub fn evaluate(&self, item: &Json) -> Option<bool> {
        match self {
            Self::Compare { path, operator, value } => {
                operator.evaluate(path.resolve(item)?, value)
            }
            Self::IsDefined(path) => Some(path.resolve(item).is_some()),
            Self::And(conditions) => decide(conditions, item, false),
            Self::Or(conditions) => decide(conditions, item, true),
            Self::Not(condition) => condition.evaluate(item).map(|truth| !truth),
        }
    }
}

/// One operand of the decisive truth decides; failing that, an undefined one makes all undefined.
fn decide(conditions: &[PatchCondition], item: &Json, decisive: bool) -> Option<bool> {
    let mut undefined = false;
    for condition in conditions {
        match condition.evaluate(item) {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => undefined = true,
        }
    }
    (!undefined).then_some(!decisive)
}

impl Comparison {
    /// Compares two defined values: equality across types is false, order across types is undefined.
    #[must_use]
    pub fn evaluate(self, left: &Json, right: &Json) -> Option<bool> {
        let holds: fn(Ordering) -> bool = match self {
            Self::Equal => return Some(left == right),
            Self::NotEqual => return Some(left != right),
            Self::Less => Ordering::is_lt,
            Self::LessOrEqual => Ordering::is_le,
            Self::Greater => Ordering::is_gt,
            Self::GreaterOrEqual => Ordering::is_ge,
        };
        order(left, right).map(holds)
    }
}

fn order(left: &Json, right: &Json) -> Option<Ordering> {
    match (left, right) {
        (Json::Null, Json::Null) => Some(Ordering::Equal),
        (Json::Bool(left), Json::Bool(right)) => Some(left.cmp(right)),
        (Json::Number(left), Json::Number(right)) => Some(left.compare(right)),
        (Json::String(left), Json::String(right)) => Some(compare_strings(left, right)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTHS: [Option<bool>; 3] = [Some(true), Some(false), None];

    /// A condition that evaluates to the truth, whatever the item.
    fn constant(truth: Option<bool>) -> PatchCondition {
        let path = PropertyPath::parse("/absent").unwrap();
        match truth {
            Some(true) => PatchCondition::Not(Box::new(PatchCondition::IsDefined(path))),
            Some(false) => PatchCondition::IsDefined(path),
            None => {
                PatchCondition::Compare { path, operator: Comparison::Equal, value: Json::Null }
            }
        }
    }

    fn empty() -> Json {
        Json::Object(crate::Object::new())
    }

    #[test]
    fn and_or_not_follow_the_tables() {
        let and = [
            [Some(true), Some(false), None],
            [Some(false), Some(false), Some(false)],
            [None, Some(false), None],
        ];
        let or = [
            [Some(true), Some(true), Some(true)],
            [Some(true), Some(false), None],
            [Some(true), None, None],
        ];
        for (row, left) in TRUTHS.into_iter().enumerate() {
            for (column, right) in TRUTHS.into_iter().enumerate() {
                let both = vec![constant(left), constant(right)];
                let all = PatchCondition::And(both.clone()).evaluate(&empty());
                assert_eq!(all, and[row][column], "{left:?} AND {right:?}");
                let any = PatchCondition::Or(both).evaluate(&empty());
                assert_eq!(any, or[row][column], "{left:?} OR {right:?}");
            }
            let not = PatchCondition::Not(Box::new(constant(left))).evaluate(&empty());
            assert_eq!(not, left.map(|truth| !truth));
        }
        assert!(PatchCondition::And(Vec::new()).holds(&empty()));
        assert!(!PatchCondition::Or(Vec::new()).holds(&empty()));
    }

    #[test]
    fn comparison_follows_the_rules_of_queries() {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let table = [
            ("1", Equal, "1.0", Some(true)),
            ("1", Equal, "\"1\"", Some(false)),
            ("1", NotEqual, "\"1\"", Some(true)),
            ("null", Equal, "null", Some(true)),
            ("[1,2]", Equal, "[1,2.0]", Some(true)),
            ("[1,2]", Equal, "[2,1]", Some(false)),
            (r#"{"a":1,"b":2}"#, Equal, r#"{"b":2,"a":1}"#, Some(true)),
            ("1", Less, "2", Some(true)),
            ("9007199254740993", Greater, "9007199254740992", Some(true)),
            ("false", Less, "true", Some(true)),
            ("null", LessOrEqual, "null", Some(true)),
            ("null", Less, "null", Some(false)),
            ("\"\u{10000}\"", Less, "\"\u{FFFF}\"", Some(true)),
            ("1", GreaterOrEqual, "\"1\"", None),
            ("[1]", Less, "[2]", None),
            ("{}", GreaterOrEqual, "{}", None),
            ("null", Less, "1", None),
        ];
        for (left, operator, right, expected) in table {
            let json = |text: &str| Json::parse(text.as_bytes()).unwrap();
            let found = operator.evaluate(&json(left), &json(right));
            assert_eq!(found, expected, "{left} {operator:?} {right}");
        }
    }

    #[test]
    fn an_absent_property_is_undefined_and_does_not_pass() {
        for operator in [Comparison::Equal, Comparison::NotEqual] {
            let path = PropertyPath::parse("/n").unwrap();
            let condition = PatchCondition::Compare { path, operator, value: Json::from(1) };
            assert_eq!(condition.evaluate(&empty()), None);
            assert!(!condition.holds(&empty()));
            assert!(!PatchCondition::Not(Box::new(condition)).holds(&empty()));
        }
    }
}
