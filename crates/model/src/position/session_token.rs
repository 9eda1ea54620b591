//! Session tokens: the writes that a client has seen, per physical partition.
//!
//! Owns their text forms, including those that only older clients send, and their union. Does not own waiting for an
//! lsn.

use std::collections::BTreeMap;
use std::fmt;

use super::Lsn;
use crate::{Result, ValidationError};

/// The lsn that a client has seen in each physical partition. An empty token has seen nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionToken {
    lsns: BTreeMap<u32, Lsn>,
}

impl SessionToken {
    /// The token of a response from one physical partition.
    #[must_use]
    pub fn new(partition: u32, lsn: Lsn) -> Self {
        Self { lsns: BTreeMap::from([(partition, lsn)]) }
    }

    /// Parses tokens joined by commas: `0:-1#45`, `0:-1#45#1=44` with regions, or the older `0:45`.
    ///
    /// # Errors
    /// When a token has none of these forms, or there is none.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = || {
            ValidationError::new(format!(
                "The session token '{text}' is invalid: use one such as '0:-1#45'."
            ))
        };
        let mut lsns = BTreeMap::new();
        for token in text.split(',').map(str::trim).filter(|token| !token.is_empty()) {
            let (partition, lsn) = parse_one(token).ok_or_else(invalid)?;
            // A client may join tokens without removing repetitions. The highest is what it has seen.
            raise(&mut lsns, partition, lsn);
        }
        if lsns.is_empty() {
            return Err(invalid());
        }
        Ok(Self { lsns })
    }

    /// The lsn seen in a physical partition; `None` when the token does not contain the partition.
    #[must_use]
    pub fn lsn_of(&self, partition: u32) -> Option<Lsn> {
        self.lsns.get(&partition).copied()
    }

    /// Each physical partition with the lsn seen in it.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Lsn)> {
        self.lsns.iter().map(|(partition, lsn)| (*partition, *lsn))
    }

    /// Adds the lsn of a response. An lsn never goes back.
    pub fn advance(&mut self, partition: u32, lsn: Lsn) {
        raise(&mut self.lsns, partition, lsn);
    }

    /// The union of both tokens: the higher lsn of each physical partition.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        let mut merged = self.clone();
        for (partition, lsn) in other.iter() {
            raise(&mut merged.lsns, partition, lsn);
        }
        merged
    }
}

fn raise(lsns: &mut BTreeMap<u32, Lsn>, partition: u32, lsn: Lsn) {
    let seen = lsns.entry(partition).or_insert(lsn);
    *seen = lsn.max(*seen);
}

/// Parses `<partition>:<version>#<lsn>[#<region>=<lsn>...]` or `<partition>:<lsn>`.
fn parse_one(token: &str) -> Option<(u32, Lsn)> {
    let (partition, position) = token.split_once(':')?;
    let mut parts = position.split('#');
    let first: i64 = parts.next()?.parse().ok()?;
    let lsn = match parts.next() {
        Some(lsn) => lsn.parse().ok()?,
        None => first,
    };
    for region in parts {
        let (region, lsn) = region.split_once('=')?;
        // Checked and then dropped: this server is a single region, whose lsn is the global one before them.
        let (_, _): (i64, i64) = (region.parse().ok()?, lsn.parse().ok()?);
    }
    // Clients send a negative lsn when they have seen nothing yet.
    Some((partition.parse().ok()?, Lsn(u64::try_from(lsn).unwrap_or(0))))
}

impl fmt::Display for SessionToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (partition, lsn)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            // Version -1 and no regions: the form in which the service with a single region answers.
            write!(formatter, "{separator}{partition}:-1#{lsn}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(SessionToken::parse(text).unwrap().to_string(), expected, "{text}");
    }

    #[test]
    fn every_form_is_understood() {
        check("0:-1#45", "0:-1#45");
        check("0:0#9", "0:-1#9");
        check("0:45", "0:-1#45");
        check("1:-1#5, 0:-1#4", "0:-1#4,1:-1#5");
        check("3:12#101#1=99#2=-1", "3:-1#101");
        check("0:-1#4,0:-1#7,0:-1#5", "0:-1#7");
        check("0:-1#-1", "0:-1#0");
        assert_eq!(SessionToken::new(2, Lsn(7)).to_string(), "2:-1#7");
    }

    #[test]
    fn other_texts_are_refused() {
        let texts = [
            "",
            ",",
            "0",
            "0:",
            ":1",
            "0:-1#",
            "0:a#1",
            "0:-1#a",
            "x:-1#1",
            "0:-1#1#2",
            "0:-1#1#a=2",
            "0:-1#1;1:-1#2",
        ];
        for text in texts {
            let message = SessionToken::parse(text).unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("The session token '{text}' is invalid")),
                "{message}"
            );
        }
    }

    #[test]
    fn an_absent_partition_has_no_lsn() {
        let token = SessionToken::parse("0:-1#4,2:-1#6").unwrap();
        assert_eq!(token.lsn_of(2), Some(Lsn(6)));
        assert_eq!(token.lsn_of(1), None);
    }

    fn token() -> impl Strategy<Value = SessionToken> {
        proptest::collection::btree_map(0u32..4, (0..=i64::MAX as u64).prop_map(Lsn), 1..4)
            .prop_map(|lsns| SessionToken { lsns })
    }

    proptest! {
        #[test]
        fn a_token_survives_its_text(token in token()) {
            prop_assert_eq!(SessionToken::parse(&token.to_string()).unwrap(), token);
        }

        #[test]
        fn a_union_holds_the_higher_lsn(left in token(), right in token()) {
            let union = left.merge(&right);
            prop_assert_eq!(&union, &right.merge(&left));
            prop_assert_eq!(&union, &SessionToken::parse(&format!("{left},{right}")).unwrap());
            for partition in 0..4 {
                let higher = left.lsn_of(partition).max(right.lsn_of(partition));
                prop_assert_eq!(union.lsn_of(partition), higher);
            }
        }
    }
}
