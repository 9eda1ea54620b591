//! The agent beside a workload.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use client::Environment;
use secret_migration::{Agent, AgentSettings, WorkloadKey};
use service::settings::Secret;
use service::telemetry::Telemetry;

use super::configuration::TrackerSettings;
use super::open::{platforms, tracker_error};
use crate::command::stop_signal;
use crate::command::system::{SettingsFlags, begin_log};
use crate::error::CommandError;
use crate::output::line;

/// Render a file with the secrets of a workload, and signal a process when they move
#[derive(Debug, Args)]
#[command(after_help = "\
The template has {{ KEY }} for the value of a key, {{ NUMBER.KEY }} for that of the path with this number, and
{{ @backend }}. Vault and the new platform are reached with the settings groups Vault and Smp.")]
pub(super) struct AgentCommand {
    /// The workload, as cluster:namespace:name
    #[arg(value_name = "WORKLOAD", value_parser = WorkloadKey::parse_id)]
    workload: WorkloadKey,

    /// Address of the tracker
    #[arg(long, value_name = "URL")]
    tracker: String,

    /// File with the bearer token for the tracker; by default the environment variable TRACKER_TOKEN
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// The template
    #[arg(long, value_name = "FILE")]
    template: PathBuf,

    /// The file to render; it is replaced at once, and only its owner can read it
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// File with the number of the process to signal
    #[arg(long, value_name = "FILE")]
    pid_file: Option<PathBuf>,

    /// The signal
    #[arg(long, value_name = "NAME", default_value = "HUP")]
    signal: String,

    /// A command to run after each change
    #[arg(long, value_name = "WORD", num_args = 1.., allow_hyphen_values = true)]
    exec: Vec<String>,

    /// Render once, then end
    #[arg(long)]
    once: bool,

    #[command(flatten)]
    settings: SettingsFlags,
}

impl AgentCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        const ACTION: &str = "rendering the secrets";
        let settings = self.settings.load::<TrackerSettings>(&[])?.value;
        let environment = Environment::system();
        let telemetry = Telemetry::new(settings.telemetry.clone(), &environment);
        begin_log(true, &telemetry);
        let token = match &self.token_file {
            Some(file) => std::fs::read_to_string(file).map_err(|error| {
                CommandError::new(format!("reading {}", file.display()), error.to_string())
            })?,
            None => std::env::var("TRACKER_TOKEN").unwrap_or_default(),
        };
        let platforms = platforms(&settings, &environment)?;
        let agent = AgentSettings {
            tracker: self.tracker,
            token: Secret::new(token.trim()),
            workload: self.workload,
            template: self.template,
            output: self.output,
            pid_file: self.pid_file,
            signal: self.signal,
            command: self.exec,
        };
        let failed = |error| tracker_error(ACTION, &error);
        let agent = Agent::new(agent, platforms.source, platforms.target, environment);
        let mut agent = agent.map_err(failed)?;
        if self.once {
            let rendered = agent.render_change(Duration::ZERO).await.map_err(failed)?;
            let backend = rendered.map(|resolved| resolved.backend.name()).unwrap_or_default();
            line(backend)?;
            return Ok(ExitCode::SUCCESS);
        }
        let stop = stop_signal()?;
        line("Ready")?;
        tokio::select! {
            () = agent.run() => {}
            () = stop => {}
        }
        Ok(ExitCode::SUCCESS)
    }
}
