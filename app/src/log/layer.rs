//! Events as lines on standard error.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use engine::{Clock, SystemClock};
use gateway::format_rfc3339;
use model::{Json, Number, Object};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

/// The form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineForm {
    Text,
    Json,
}

/// Writes each event as one line.
#[derive(Debug)]
pub(super) struct LineLayer {
    form: LineForm,
}

impl LineLayer {
    pub(super) fn new(form: LineForm) -> Self {
        Self { form }
    }
}

impl<S: Subscriber> Layer<S> for LineLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = EventFields::default();
        event.record(&mut fields);
        let time = format_rfc3339(SystemClock.now().0);
        let level = event.metadata().level().as_str();
        let line = match self.form {
            LineForm::Text => fields.text(&time, level),
            LineForm::Json => fields.json(&time, level, event.metadata().target()),
        };
        // In one write, so that lines of several threads do not mix. If it fails, nobody reads the log.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}

/// The message and the fields of an event, in their order.
#[derive(Debug, Default)]
struct EventFields {
    message: String,
    fields: Vec<(&'static str, Json)>,
}

impl EventFields {
    fn text(&self, time: &str, level: &str) -> String {
        let mut line = format!("{time} {level} {}", self.message);
        for (name, value) in &self.fields {
            // Writing to a string does not fail. Texts with spaces are quoted by their JSON form.
            let _ = match value {
                Json::String(_) if value.as_str().is_some_and(is_plain) => {
                    write!(line, " {name}={}", value.as_str().unwrap_or_default())
                }
                value => write!(line, " {name}={value}"),
            };
        }
        line.push('\n');
        line
    }

    fn json(self, time: &str, level: &str, target: &str) -> String {
        let mut object = Object::new();
        object.insert("time", time);
        object.insert("level", level.to_ascii_lowercase());
        object.insert("target", target);
        object.insert("message", self.message);
        for (name, value) in self.fields {
            object.insert(name, value);
        }
        format!("{}\n", Json::Object(object))
    }

    fn push(&mut self, field: &Field, value: impl Into<Json>) {
        self.fields.push((field.name(), value.into()));
    }
}

/// Whether a text needs no quotes in a line of text.
fn is_plain(text: &str) -> bool {
    let is_odd = |char: char| char.is_whitespace() || char.is_control() || char == '"';
    !text.is_empty() && !text.contains(is_odd)
}

impl Visit for EventFields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.push(field, Number::from_f64(value).map_or(Json::Null, Json::Number));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.push(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.push(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.push(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message.push_str(value),
            _ => self.push(field, value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            // A line break in a message would begin a line that no event wrote.
            "message" => self.message.push_str(&format!("{value:?}").replace(['\n', '\r'], " ")),
            _ => self.push(field, format!("{value:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_spaces_or_breaks_are_quoted() {
        let fields = EventFields {
            message: "request".to_owned(),
            fields: vec![
                ("path", Json::from("/dbs/a")),
                ("id", Json::from("a b\nINFO forged")),
                ("status", Json::from(200)),
            ],
        };
        let line = fields.text("T", "INFO");
        assert_eq!(line, "T INFO request path=/dbs/a id=\"a b\\nINFO forged\" status=200\n");
        let json = fields.json("T", "INFO", "planisphere::requests");
        assert_eq!(json.lines().count(), 1);
        let parsed = Json::parse(json.trim().as_bytes()).unwrap();
        assert_eq!(parsed.get("status").and_then(Json::as_i64), Some(200));
        assert_eq!(parsed.get("level").and_then(Json::as_str), Some("info"));
    }
}
