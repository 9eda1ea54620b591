//! Prints the log of a service to standard error, in addition to telemetry.
//!
//! Only warnings and errors by default; requests are counted at `/metrics`.

use std::fmt::{self, Write as _};

use service::telemetry::Telemetry;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::output::warn;

/// Installs the subscriber. Only the first call of a process has an effect.
pub(crate) fn begin(is_verbose: bool, telemetry: &Telemetry) {
    let level_max = if is_verbose { Level::INFO } else { Level::WARN };
    let subscriber =
        tracing_subscriber::registry().with(telemetry.layer()).with(LogLayer { level_max });
    // A second one would only print lines twice.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

struct LogLayer {
    level_max: Level,
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        if level > self.level_max {
            return;
        }
        let mut text = EventText::default();
        event.record(&mut text);
        let name = level.as_str().to_lowercase();
        warn(&format!("{name}: {}{}", text.message, text.fields));
    }
}

/// The message and the fields of an event.
#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
}

impl Visit for EventText {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
