//! Time to live: how long an item lives after its last write.
//!
//! Owns the setting of a container, the setting of an item and the rule that combines them. Does not own the clock or
//! expiry.

use crate::{Json, Result, ValidationError};

/// Maximum time to live in seconds.
// The largest signed 32-bit number; a limit of the service.
const SECONDS_MAX: i64 = 2_147_483_647;

/// The `defaultTtl` of a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeToLive {
    /// Absent: nothing expires, regardless of the items.
    #[default]
    Off,
    /// `-1`: only items with their own time to live expire.
    NoDefault,
    /// Items expire this many seconds after their last write, unless they have their own time to live.
    Seconds(u32),
}

/// The `ttl` of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemTimeToLive {
    /// `-1`: the item never expires.
    Never,
    /// The item expires this many seconds after its last write.
    Seconds(u32),
}

impl TimeToLive {
    /// Parses the value of `defaultTtl`; absent and null mean off.
    pub fn from_json(value: Option<&Json>) -> Result<Self> {
        match value {
            None | Some(Json::Null) => Ok(Self::Off),
            Some(value) => Ok(match parse(value)? {
                ItemTimeToLive::Never => Self::NoDefault,
                ItemTimeToLive::Seconds(seconds) => Self::Seconds(seconds),
            }),
        }
    }

    /// The value of `defaultTtl`; `None` when the member is omitted.
    #[must_use]
    pub fn to_json(self) -> Option<Json> {
        match self {
            Self::Off => None,
            Self::NoDefault => Some(Json::from(-1)),
            Self::Seconds(seconds) => Some(Json::from(i64::from(seconds))),
        }
    }
}

impl ItemTimeToLive {
    /// Parses the `ttl` property of an item; `None` when it is absent.
    pub fn from_item(item: &Json) -> Result<Option<Self>> {
        item.get("ttl").map(parse).transpose()
    }
}

/// The second at which an item expires; `None` when it never does.
#[must_use]
pub fn expires_at(
    container: TimeToLive,
    item: Option<ItemTimeToLive>,
    last_write_seconds: u64,
) -> Option<u64> {
    let seconds = match (container, item) {
        // An item's own time to live has no effect while the container's is off.
        (TimeToLive::Off, _) | (_, Some(ItemTimeToLive::Never)) | (TimeToLive::NoDefault, None) => {
            return None;
        }
        (_, Some(ItemTimeToLive::Seconds(seconds))) | (TimeToLive::Seconds(seconds), None) => {
            seconds
        }
    };
    // Saturating: an item that expires at the end of time never expires.
    Some(last_write_seconds.saturating_add(u64::from(seconds)))
}

fn parse(value: &Json) -> Result<ItemTimeToLive> {
    match value.as_i64() {
        Some(-1) => Ok(ItemTimeToLive::Never),
        Some(seconds @ 1..=SECONDS_MAX) => {
            u32::try_from(seconds).map(ItemTimeToLive::Seconds).map_err(|_| refused(value))
        }
        _ => Err(refused(value)),
    }
}

fn refused(value: &Json) -> ValidationError {
    let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    ValidationError::new(format!(
        "The input ttl '{text}' is invalid. Ensure to provide a nonzero positive integer less \
         than or equal to '{SECONDS_MAX}', or '-1' which means never expire."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn expiry_follows_the_table_of_container_and_item() {
        use ItemTimeToLive as Item;
        let table = [
            (TimeToLive::Off, None, None),
            (TimeToLive::Off, Some(Item::Never), None),
            (TimeToLive::Off, Some(Item::Seconds(10)), None),
            (TimeToLive::NoDefault, None, None),
            (TimeToLive::NoDefault, Some(Item::Never), None),
            (TimeToLive::NoDefault, Some(Item::Seconds(10)), Some(110)),
            (TimeToLive::Seconds(60), None, Some(160)),
            (TimeToLive::Seconds(60), Some(Item::Never), None),
            (TimeToLive::Seconds(60), Some(Item::Seconds(10)), Some(110)),
            (TimeToLive::Seconds(60), Some(Item::Seconds(600)), Some(700)),
        ];
        for (container, item, expected) in table {
            assert_eq!(expires_at(container, item, 100), expected, "{container:?} {item:?}");
        }
        let late = expires_at(TimeToLive::Seconds(u32::MAX), None, u64::MAX);
        assert_eq!(late, Some(u64::MAX));
    }

    #[test]
    fn an_item_without_ttl_has_no_setting() {
        assert_eq!(ItemTimeToLive::from_item(&item(r#"{"id":"a"}"#)), Ok(None));
    }

    #[test]
    fn an_item_may_live_for_ever_or_for_seconds() {
        let read = |text| ItemTimeToLive::from_item(&item(text)).unwrap();
        assert_eq!(read(r#"{"ttl":-1}"#), Some(ItemTimeToLive::Never));
        assert_eq!(read(r#"{"ttl":1}"#), Some(ItemTimeToLive::Seconds(1)));
        assert_eq!(read(r#"{"ttl":5.0}"#), Some(ItemTimeToLive::Seconds(5)));
        assert_eq!(read(r#"{"ttl":2147483647}"#), Some(ItemTimeToLive::Seconds(2_147_483_647)));
    }

    #[test]
    fn a_meaningless_ttl_is_refused_with_the_sentence_of_the_service() {
        for value in ["0", "-2", "2147483648", "1.5", "null", "\"10\"", "true", "[]"] {
            let text = format!(r#"{{"ttl":{value}}}"#);
            let error = ItemTimeToLive::from_item(&item(&text)).unwrap_err();
            let shown = value.trim_matches('"');
            assert!(
                error.message().starts_with(&format!(
                    "The input ttl '{shown}' is invalid. Ensure to provide a nonzero positive \
                     integer"
                )),
                "{error}"
            );
        }
    }

    #[test]
    fn the_container_setting_round_trips() {
        for (text, expected) in [
            ("{}", TimeToLive::Off),
            (r#"{"defaultTtl":null}"#, TimeToLive::Off),
            (r#"{"defaultTtl":-1}"#, TimeToLive::NoDefault),
            (r#"{"defaultTtl":30}"#, TimeToLive::Seconds(30)),
        ] {
            let setting = TimeToLive::from_json(item(text).get("defaultTtl")).unwrap();
            assert_eq!(setting, expected);
            assert_eq!(TimeToLive::from_json(setting.to_json().as_ref()), Ok(setting));
        }
        assert!(TimeToLive::from_json(Some(&Json::from(0))).is_err());
    }
}
