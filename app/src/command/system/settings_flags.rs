//! The sources of a system's settings: a file, the environment, and flags.
//!
//! Does not own the settings: each system has its own sections.

use std::path::PathBuf;

use clap::Args;
use service::settings::{LoadedSettings, SettingsBuilder, SettingsSection};

use crate::error::CommandError;
use crate::output::warn;

/// Sources of settings besides the environment.
#[derive(Debug, Args)]
pub(crate) struct SettingsFlags {
    /// TOML file with settings; environment variables such as HTTP__LISTEN override it
    #[arg(long = "settings", value_name = "FILE")]
    file: Option<PathBuf>,

    /// One setting; overrides file and environment; may be repeated
    #[arg(long, value_name = "SECTION:NAME=VALUE")]
    set: Vec<String>,
}

impl SettingsFlags {
    /// Loads the settings and warns about unknown names. `more` overrides everything.
    pub(crate) fn load<T: SettingsSection>(
        &self,
        more: &[String],
    ) -> Result<LoadedSettings<T>, CommandError> {
        let sources = match &self.file {
            Some(file) => SettingsBuilder::new().file(file),
            None => SettingsBuilder::new(),
        };
        let sources = sources.environment(std::env::vars()).flags(&self.set).flags(more);
        let loaded = sources.load::<T>().map_err(|mistakes| {
            let lines = mistakes.iter().map(|mistake| format!("\n  {mistake}"));
            let detail: String = lines.collect();
            CommandError::new("reading the settings", "some are invalid")
                .hint("Correct the listed settings")
                .detail(detail)
        })?;
        loaded.warnings().iter().for_each(|warning| warn(warning));
        Ok(loaded)
    }
}
