//! Ids whose text order is the order of time: 30 digits, 19 of time and 11 of chance.
//!
//! Owns the form and the generator. Time is counted in ticks of 100 ns since the year 1, so that ids sort together with
//! those of programs that use that calendar.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use client::Environment;
use serde::{Deserialize, Serialize};
use service::timestamp::UtcTimestamp;

const TICK_DIGITS: usize = 19;
const DIGITS: usize = 30;
const TICKS_PER_MS: u64 = 10_000;
/// Ticks from the year 1 to 1970.
const EPOCH_TICKS: u64 = 621_355_968_000_000_000;
const CHANCES: u64 = 100_000_000_000;

/// An id that sorts by time. Compare as text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SortableUniqueId(String);

/// Makes ids. Those of one generator strictly increase, also when the clock stands still or goes back.
#[derive(Debug)]
pub struct SortableIdGenerator {
    environment: Environment,
    last_ticks: Mutex<u64>,
}

impl SortableUniqueId {
    /// An id from its text.
    ///
    /// # Errors
    /// A sentence, when it has not 30 digits.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_right = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_right {
            return Ok(Self(text.to_owned()));
        }
        let shown: String = text.chars().take(40).collect();
        Err(format!("'{shown}' is no sortable id; it has {DIGITS} digits"))
    }

    /// The smallest and the greatest id of a time. Every id that was made at that millisecond lies between them.
    #[must_use]
    pub fn range_of(time: UtcTimestamp) -> (Self, Self) {
        let ticks = EPOCH_TICKS + time.ms() * TICKS_PER_MS;
        (Self::from_parts(ticks, 0), Self::from_parts(ticks + TICKS_PER_MS - 1, CHANCES - 1))
    }

    /// The smallest of all ids.
    #[must_use]
    pub fn min() -> Self {
        Self::from_parts(0, 0)
    }

    /// The greatest of all ids.
    #[must_use]
    pub fn max() -> Self {
        Self("9".repeat(DIGITS))
    }

    /// When it was made.
    #[must_use]
    pub fn time(&self) -> UtcTimestamp {
        UtcTimestamp::from_ms(self.ticks().saturating_sub(EPOCH_TICKS) / TICKS_PER_MS)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn ticks(&self) -> u64 {
        // 19 digits fit: the greatest is below 2^64.
        self.0.get(..TICK_DIGITS).and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }

    fn from_parts(ticks: u64, chance: u64) -> Self {
        Self(format!("{ticks:019}{:011}", chance % CHANCES))
    }
}

impl SortableIdGenerator {
    /// A generator on the clock and the randomness of an environment.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self { environment, last_ticks: Mutex::new(0) }
    }

    /// The next id: later than now, than every earlier one of this generator, and than `floor`. The floor is what a
    /// writer has seen of others, whose clocks may be ahead.
    #[must_use]
    pub fn next_after(&self, floor: Option<&SortableUniqueId>) -> SortableUniqueId {
        let now = EPOCH_TICKS + self.environment.now().0.saturating_mul(TICKS_PER_MS);
        let floor = floor.map_or(0, |floor| floor.ticks() + 1);
        let mut last = self.last_ticks.lock().unwrap_or_else(PoisonError::into_inner);
        *last = now.max(*last + 1).max(floor);
        SortableUniqueId::from_parts(*last, self.environment.random())
    }
}

impl fmt::Display for SortableUniqueId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for SortableUniqueId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for SortableUniqueId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<SortableUniqueId> for String {
    fn from(id: SortableUniqueId) -> Self {
        id.0
    }
}

impl From<&SortableUniqueId> for client::Json {
    fn from(id: &SortableUniqueId) -> Self {
        id.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use client::{TimestampMs, TravellingClock};

    use super::*;

    #[test]
    fn ids_increase_while_the_clock_stands_and_goes_back() {
        let start = UtcTimestamp::parse("2026-01-05T10:00:00.000Z").unwrap();
        let clock = TravellingClock::starting_at(TimestampMs(start.ms()));
        let ids = SortableIdGenerator::new(Environment::travelling(Arc::clone(&clock), 1));
        let first = ids.next_after(None);
        assert_eq!((first.as_str().len(), first.time()), (30, start));
        let second = ids.next_after(None);
        clock.set(TimestampMs(start.ms() - 5_000));
        let third = ids.next_after(None);
        assert!(first < second && second < third);
        clock.travel(Duration::from_secs(60));
        let ahead = ids.next_after(None);
        let of_another = SortableUniqueId::range_of(start.after(Duration::from_secs(600))).1;
        assert!(ahead > third && ids.next_after(Some(&of_another)) > of_another);
    }

    #[test]
    fn only_thirty_digits_are_an_id() {
        let (least, greatest) = (SortableUniqueId::min(), SortableUniqueId::max());
        assert!(least < greatest);
        assert_eq!(SortableUniqueId::parse(greatest.as_str()).unwrap(), greatest);
        for wrong in
            ["", "1", &"1".repeat(29), &"1".repeat(31), &"x".repeat(30), &"\u{0661}".repeat(15)]
        {
            assert!(SortableUniqueId::parse(wrong).is_err(), "{wrong}");
        }
    }
}
