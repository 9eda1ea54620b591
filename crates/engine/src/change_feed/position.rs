//! Positions in the change feed: per epk range, the lsn up to which everything was read.
//!
//! Owns the type and its opaque text. A position stays valid across splits and merges: copies keep the lsns of their
//! sources, so that the lsn of a range applies to each of its parts.

use model::{ContinuationToken, EffectivePartitionKey, EpkRange, Json, Lsn, Object, ResourceId};

use crate::error::{Error, ErrorKind, Result};

const TOKEN_KIND: &str = "changes";
const TOKEN_VERSION: u8 = 1;

/// Position in one range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangePosition {
    /// The range.
    pub range: EpkRange,
    /// Everything up to and including this lsn was read.
    pub lsn: Lsn,
}

/// Position in a feed range; the part that is read next comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeFeedPosition {
    /// The parts of the feed range.
    pub ranges: Vec<RangePosition>,
}

impl ChangeFeedPosition {
    /// Restricts this position to a range. A position of a disjoint feed range is refused.
    pub(crate) fn within(self, range: &EpkRange) -> Result<Self> {
        let ranges: Vec<_> = self
            .ranges
            .into_iter()
            .filter_map(|part| {
                Some(RangePosition { range: part.range.intersect(range)?, lsn: part.lsn })
            })
            .collect();
        if ranges.is_empty() {
            return Err(refused(
                "Invalid Continuation Token: it continues another feed range. Start over without it.",
            ));
        }
        Ok(Self { ranges })
    }

    /// The lsn of this position, if one lsn applies to all of the range.
    pub(crate) fn single_lsn(&self, range: &EpkRange) -> Option<Lsn> {
        // A position that covers only a part must keep its bounds: as a number it would apply to the rest as well, and
        // changes there would be skipped or repeated.
        match self.ranges.as_slice() {
            [part] if part.range == *range => Some(part.lsn),
            _ => None,
        }
    }

    /// The opaque text of this position in a container.
    pub(crate) fn to_token(&self, container: &ResourceId) -> String {
        let ranges = self.ranges.iter().map(|part| {
            let mut object = Object::new();
            object.insert("min", part.range.min.to_string());
            object.insert("max", part.range.max.to_string());
            // Lsns count commits of one partition; the range of i64 is never exhausted.
            object.insert("lsn", i64::try_from(part.lsn.0).unwrap_or(i64::MAX));
            Json::Object(object)
        });
        let payload = Json::Array(ranges.collect()).to_bytes();
        ContinuationToken::encode(TOKEN_KIND, TOKEN_VERSION, container, &payload).to_string()
    }

    /// Parses the opaque text.
    pub(crate) fn from_token(token: &str, container: &ResourceId) -> Result<Self> {
        let (version, payload) = ContinuationToken::decode(token, TOKEN_KIND, container)
            .map_err(|invalid| refused(invalid.message()))?;
        if version != TOKEN_VERSION {
            return Err(refused(&format!(
                "Invalid Continuation Token: version {version} is not known."
            )));
        }
        let json = Json::parse(&payload).map_err(|error| refused(&error.to_string()))?;
        let parts = json.as_array().unwrap_or_default();
        // One damaged part refuses the whole token: leaving it out would skip its range silently.
        let ranges = parts.iter().map(part).collect::<Option<Vec<_>>>();
        let ranges =
            ranges.ok_or_else(|| refused("Invalid Continuation Token: it holds no positions."))?;
        Ok(Self { ranges })
    }
}

fn part(json: &Json) -> Option<RangePosition> {
    let bound = |name: &str| EffectivePartitionKey::from_hex(json.get(name)?.as_str()?).ok();
    let lsn = u64::try_from(json.get("lsn")?.as_i64()?).ok()?;
    Some(RangePosition {
        range: EpkRange { min: bound("min")?, max: bound("max")? },
        lsn: Lsn(lsn),
    })
}

fn refused(message: &str) -> Error {
    Error::new(ErrorKind::ContinuationRefused, message)
}

/// For fuzzing: a payload of a token is refused or means the same when it is encoded again.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_position(payload: &[u8], container: &ResourceId) {
    let token = ContinuationToken::encode(TOKEN_KIND, TOKEN_VERSION, container, payload);
    let Ok(position) = ChangeFeedPosition::from_token(token.as_ref(), container) else {
        return;
    };
    let printed = position.to_token(container);
    let again = ChangeFeedPosition::from_token(&printed, container);
    assert_eq!(again.map(|again| again.to_token(container)).ok(), Some(printed));
}
