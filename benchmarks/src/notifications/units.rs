//! Request units counted by the engine, by purpose.

use engine::Engine;
use model::Json;

/// Request units so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestUnitTotals {
    /// Items written, read and asked for.
    pub(super) items: f64,
    /// Reading the change feed, and the leases of its readers.
    pub(super) feed: f64,
}

/// The container whose every request is about leases.
const LEASES: &str = "notification_leases";

impl RequestUnitTotals {
    /// What all containers took since the engine was opened.
    pub(super) fn so_far(engine: &Engine) -> Self {
        let usage = engine.usage();
        let mut units = Self::default();
        for container in members(&usage, "containers") {
            let is_lease = container.get("container").and_then(Json::as_str) == Some(LEASES);
            for operation in members(container, "operations") {
                let charge = match operation.get("requestUnits") {
                    Some(Json::Number(number)) => number.as_f64(),
                    _ => 0.0,
                };
                let name = operation.get("operation").and_then(Json::as_str);
                if is_lease || name == Some("change feed") {
                    units.feed += charge;
                } else {
                    units.items += charge;
                }
            }
        }
        units
    }

    /// What was taken since then, for each of so many events.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below what a double holds")]
    pub(super) fn per_event(self, before: Self, events: u64) -> Self {
        let events = events.max(1) as f64;
        Self {
            items: (self.items - before.items) / events,
            feed: (self.feed - before.feed) / events,
        }
    }
}

fn members<'a>(json: &'a Json, name: &str) -> &'a [Json] {
    json.get(name).and_then(Json::as_array).unwrap_or_default()
}
