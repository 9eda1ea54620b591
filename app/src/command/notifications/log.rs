//! What the service logs, as lines on standard error, beside what its telemetry hears.
//!
//! Owns the form of a line. Warnings and errors only, unless all is asked for: requests have their own numbers at
//! `/metrics`.

use std::fmt::{self, Write as _};

use service::telemetry::Telemetry;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::command::warn;

/// Begins to write lines and to hear spans; the first call of a process wins.
pub(super) fn begin(is_verbose: bool, telemetry: &Telemetry) {
    let most = if is_verbose { Level::INFO } else { Level::WARN };
    let subscriber = tracing_subscriber::registry().with(telemetry.layer()).with(Lines { most });
    // A second one would only repeat the lines.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

struct Lines {
    most: Level,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        if level > self.most {
            return;
        }
        let mut text = Text::default();
        event.record(&mut text);
        let name = level.as_str().to_lowercase();
        warn(&format!("{name}: {}{}", text.message, text.fields));
    }
}

/// The message and the fields of an event.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a text does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
