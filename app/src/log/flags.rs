//! `--log` and `RUST_LOG`.

use clap::{Args, ValueEnum};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;

use super::filter::LogFilter;
use super::layer::{LineForm, LineLayer};
use crate::output::warn;

/// What the gateway calls the events about requests.
const REQUESTS: &str = "planisphere::requests=info,warn";
/// Our crates; libraries below them stay quiet.
const DEBUG: &str = "planisphere=debug,gateway=debug,engine=debug,client=debug,service=debug,\
                     storage=debug,storage_lsm=debug,warn";

/// The flags about the log.
#[derive(Clone, Debug, Args)]
pub(crate) struct LogFlags {
    /// What to log on standard error; several words are separated by commas. RUST_LOG replaces the choice of events
    #[arg(long, value_enum, value_name = "WORD", value_delimiter = ',')]
    log: Vec<LogWord>,
}

/// A word of `--log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogWord {
    /// Only warnings
    Quiet,
    /// A line for each request of the API: method, path, status, charge, duration, activity id
    Requests,
    /// Requests of every kind, and what the server does besides
    Debug,
    /// As JSON, one object per line; alone it means requests,json
    Json,
}

impl LogFlags {
    /// Adds the level of the emulators' environment variable if the flag is absent.
    pub(crate) fn with_variable(mut self, level: Option<&'static str>) -> Self {
        if self.log.is_empty() {
            self.log.extend(match level {
                Some("debug") => Some(LogWord::Debug),
                _ => None,
            });
        }
        self
    }

    /// Begins logging for the rest of the process.
    pub(crate) fn install(&self) {
        let variable = std::env::var("RUST_LOG").ok();
        let Some(directives) = self.directives(variable.as_deref()) else { return };
        let (filter, mistakes) = LogFilter::parse(&directives);
        mistakes.iter().for_each(|mistake| warn(mistake));
        let form = match self.log.contains(&LogWord::Json) {
            true => LineForm::Json,
            false => LineForm::Text,
        };
        let layer = LineLayer::new(form).with_filter(filter_fn(move |meta| filter.allows(meta)));
        // Only the first one of a process has an effect, and a process runs one command.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer));
    }

    /// Which events are logged; `None` if nobody asked.
    fn directives(&self, variable: Option<&str>) -> Option<String> {
        if let Some(variable) = variable.filter(|variable| !variable.trim().is_empty()) {
            return Some(variable.to_owned());
        }
        let has = |word| self.log.contains(&word);
        match self.log.is_empty() {
            true => None,
            false if has(LogWord::Debug) => Some(DEBUG.to_owned()),
            false if has(LogWord::Requests) || has(LogWord::Json) => Some(REQUESTS.to_owned()),
            false => Some("warn".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directives(words: &[LogWord], variable: Option<&str>) -> Option<String> {
        LogFlags { log: words.to_vec() }.directives(variable)
    }

    #[test]
    fn the_variable_replaces_the_choice_of_events() {
        assert_eq!(directives(&[], None), None);
        assert_eq!(directives(&[], Some(" ")), None);
        assert_eq!(directives(&[LogWord::Json], None).as_deref(), Some(REQUESTS));
        assert_eq!(directives(&[LogWord::Requests, LogWord::Debug], None).as_deref(), Some(DEBUG));
        assert_eq!(directives(&[LogWord::Json], Some("error")).as_deref(), Some("error"));
    }
}
