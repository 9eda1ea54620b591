//! The loop of the agent: wait for a change, render, signal the workload.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use client::Environment;
use reqwest::StatusCode;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use service::settings::Secret;

use crate::domain::WorkloadKey;
use crate::error::{Error, ErrorKind, Result};
use crate::question::ResolvedSecrets;
use crate::source::SecretSource;
use crate::target::SecretTarget;

use super::render::{read_secrets, replace_file};
use super::template::render;

/// A question is answered after this time at the latest.
const WAIT: Duration = Duration::from_secs(30);
/// The pause after a failure.
const RETRY: Duration = Duration::from_secs(2);

/// What the agent does.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// The address of the tracker.
    pub tracker: String,
    /// The bearer token for it.
    pub token: Secret,
    /// The workload.
    pub workload: WorkloadKey,
    /// The template.
    pub template: PathBuf,
    /// The file to render.
    pub output: PathBuf,
    /// A file with the number of the process to signal.
    pub pid_file: Option<PathBuf>,
    /// The signal, such as `HUP`.
    pub signal: String,
    /// A command to run after each change.
    pub command: Vec<String>,
}

/// The agent beside one workload.
pub struct Agent {
    settings: AgentSettings,
    source: Arc<dyn SecretSource>,
    target: Arc<dyn SecretTarget>,
    environment: Environment,
    http: reqwest::Client,
    etag: Option<String>,
}

impl Agent {
    /// An agent that has rendered nothing yet.
    ///
    /// # Errors
    /// `Invalid` if no connections can be made.
    pub fn new(
        settings: AgentSettings,
        source: Arc<dyn SecretSource>,
        target: Arc<dyn SecretTarget>,
        environment: Environment,
    ) -> Result<Self> {
        let http = reqwest::Client::builder().no_proxy().timeout(WAIT * 2).build();
        let http = http.map_err(|error| Error::invalid(format!("the agent: {error}")))?;
        Ok(Self { settings, source, target, environment, http, etag: None })
    }

    /// Renders until it is dropped. A failure is logged and tried again; the file stays as it was.
    pub async fn run(&mut self) {
        loop {
            match self.render_change(WAIT).await {
                Ok(Some(resolved)) => {
                    tracing::info!(backend = resolved.backend.name(), "rendered");
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, "the secrets were not rendered");
                    self.environment.sleep(RETRY).await;
                }
            }
        }
    }

    /// Waits for a change and renders it; `None` if there is none in this time.
    ///
    /// # Errors
    /// `Unavailable` if the tracker or a platform does not answer, `NotFound` for an unknown workload, `Invalid` for a
    /// template or a file that cannot be used. The next call tries the same change again.
    pub async fn render_change(&mut self, wait: Duration) -> Result<Option<ResolvedSecrets>> {
        let Some((resolved, etag)) = self.ask(wait).await? else { return Ok(None) };
        let secrets = read_secrets(&self.source, &self.target, &resolved).await?;
        let wrong = |file: &PathBuf, why: &dyn std::fmt::Display| {
            Error::invalid(format!("{}: {why}", file.display()))
        };
        let template = std::fs::read_to_string(&self.settings.template)
            .map_err(|error| wrong(&self.settings.template, &error))?;
        let text = render(&template, resolved.backend, &secrets)
            .map_err(|why| wrong(&self.settings.template, &why))?;
        // Without a file the workload has not started yet. With one, this agent may follow one that was killed before
        // it could signal, so the workload is signalled although nothing may have changed.
        let has_started = self.etag.is_some() || self.settings.output.exists();
        replace_file(&self.settings.output, &text)
            .map_err(|error| wrong(&self.settings.output, &error))?;
        self.etag = Some(etag);
        if has_started {
            self.signal_workload().await;
        }
        Ok(Some(resolved))
    }

    async fn ask(&self, wait: Duration) -> Result<Option<(ResolvedSecrets, String)>> {
        let AgentSettings { tracker, token, workload, .. } = &self.settings;
        let WorkloadKey { cluster, namespace, name } = workload;
        let tracker = tracker.trim_end_matches('/');
        let seconds = wait.as_secs();
        let url = format!("{tracker}/v1/resolve/{cluster}/{namespace}/{name}?wait={seconds}s");
        let mut request = self.http.get(url).bearer_auth(token.expose());
        if let Some(etag) = &self.etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let failed = |error: reqwest::Error| {
            Error::new(ErrorKind::Unavailable, format!("the tracker: {}", error.without_url()))
        };
        let response = request.send().await.map_err(failed)?;
        match response.status() {
            StatusCode::NOT_MODIFIED => return Ok(None),
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => {
                return Err(Error::not_found(format!("the tracker does not know {workload}")));
            }
            status => {
                let message = format!("the tracker answers {status}");
                return Err(Error::new(ErrorKind::Unavailable, message));
            }
        }
        let etag = response.headers().get(ETAG).and_then(|etag| etag.to_str().ok());
        let etag = etag.unwrap_or_default().to_owned();
        Ok(Some((response.json().await.map_err(failed)?, etag)))
    }

    /// Signals the process and runs the command. What fails is only logged.
    async fn signal_workload(&self) {
        if let Some(file) = &self.settings.pid_file {
            let pid = std::fs::read_to_string(file).unwrap_or_default();
            match pid.trim().parse::<u32>() {
                Ok(pid) if pid > 1 => {
                    let signal = format!("-{}", self.settings.signal);
                    run("kill", &[signal, pid.to_string()]).await;
                }
                _ => tracing::warn!(file = %file.display(), "no process to signal"),
            }
        }
        if let Some((program, arguments)) = self.settings.command.split_first() {
            run(program, arguments).await;
        }
    }
}

async fn run(program: &str, arguments: &[String]) {
    let mut command = std::process::Command::new(program);
    command.args(arguments);
    match tokio::task::spawn_blocking(move || command.status()).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => tracing::warn!(program, %status, "a command failed"),
        Ok(Err(error)) => tracing::warn!(program, %error, "a command could not be run"),
        Err(_) => tracing::warn!(program, "a command was aborted"),
    }
}
