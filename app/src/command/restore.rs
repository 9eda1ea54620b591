//! `planisphere restore`: a backup into a running server, or a container back to a second of the past.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::backup::ServerFlags;
use crate::error::CommandError;

/// Bytes of lines per request; the server accepts bodies of 2 MiB.
#[cfg(feature = "connect")]
const BATCH_BYTES: usize = 1024 * 1024;

/// Restore a backup into a running server, or a container to a second of the past.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere restore --file shop.backup                  create what is missing, upsert every item
  planisphere restore --at 2026-11-17T10:00:00Z --container shop/orders --to orders-restored
      a second container with the items of that second
  planisphere restore --at 2026-11-17T10:00:00Z --container shop/orders --in-place
      items written since get their old content, items created since are deleted

--at reaches back as far as versions are retained: five minutes, or the retention in the container's change feed
policy. Restored items are ordinary writes with new etags and times; the time to live of an item restarts. Stop writers
before --in-place. Each of these can be run again after an interruption.")]
pub(crate) struct RestoreCommand {
    #[command(flatten)]
    server: ServerFlags,

    /// File that `planisphere backup` wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["at", "container"],
          required_unless_present = "at")]
    file: Option<PathBuf>,

    /// A second of the past, as 2026-11-17T10:00:00Z or as seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "container")]
    at: Option<u64>,

    /// The container to restore
    #[arg(long, value_name = "DATABASE/CONTAINER", requires = "at")]
    container: Option<String>,

    /// Container of the same database that gets the items; created if it does not exist
    #[arg(long, value_name = "NAME", requires = "at", conflicts_with = "in_place")]
    to: Option<String>,

    /// Change the container itself
    #[arg(long, requires = "at")]
    in_place: bool,
}

impl RestoreCommand {
    #[cfg(not(feature = "connect"))]
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let Self { file, at, container, to, in_place, .. } = &self;
        let _ = (self.server.account_key()?, file, at, container, to, in_place);
        let reason = "this binary was built without the feature 'connect'";
        Err(CommandError::new(format!("restoring into {}", self.server.endpoint), reason)
            .hint("Build it in: cargo run --release --features connect -- restore"))
    }

    #[cfg(feature = "connect")]
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let key = self.server.account_key()?;
        let call = crate::server_call::ServerCall { endpoint: &self.server.endpoint, key: &key };
        match (&self.file, self.at) {
            (Some(file), _) => crate::open::block_on(connected::restore_file(&call, file)),
            (None, at) => crate::open::block_on(self.restore_point(&call, at.unwrap_or_default())),
        }
    }

    #[cfg(feature = "connect")]
    async fn restore_point(
        &self,
        call: &crate::server_call::ServerCall<'_>,
        at: u64,
    ) -> Result<ExitCode, CommandError> {
        use model::{Json, Object};

        let refused =
            |why: &str, hint: &str| CommandError::new("reading the flags", why).hint(hint);
        let path = self.container.as_deref().unwrap_or_default();
        let (database, container) = path.split_once('/').ok_or_else(|| {
            refused(&format!("'{path}' is no container"), "Give it as database/container")
        })?;
        if self.to.is_none() && !self.in_place {
            return Err(refused(
                "it is not said where the items go",
                "Give --to for another container, or --in-place",
            ));
        }
        let mut body = Object::new();
        body.insert("database", database);
        body.insert("container", container);
        body.insert("at", i64::try_from(at).unwrap_or(i64::MAX));
        if let Some(to) = &self.to {
            body.insert("to", to.as_str());
        }
        let body = Json::Object(body).to_bytes();
        let path = "/_planisphere/restore-point";
        let answer = call.send("restoring in", reqwest::Method::POST, path, body).await?;
        let answer = Json::parse(&answer).unwrap_or(Json::Null);
        let count = |name: &str| {
            let count = answer.get(name).and_then(Json::as_i64).unwrap_or_default();
            crate::output::thousands(u64::try_from(count).unwrap_or_default())
        };
        crate::output::line(format_args!(
            "restored {} items, deleted {}, {} were unchanged",
            count("restored"),
            count("deleted"),
            count("unchanged")
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Sending the lines of a file.
#[cfg(feature = "connect")]
mod connected {
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::process::ExitCode;

    use model::Json;
    use reqwest::Method;

    use super::BATCH_BYTES;
    use crate::error::CommandError;
    use crate::output::{line, thousands};
    use crate::server_call::ServerCall;

    /// Sends the lines of a backup in batches, each beginning with the line that names the container of its items.
    pub(super) async fn restore_file(
        call: &ServerCall<'_>,
        path: &Path,
    ) -> Result<ExitCode, CommandError> {
        let refused = |why: String| {
            CommandError::new(format!("reading {}", path.display()), why)
                .hint("Give a file that `planisphere backup` wrote")
        };
        check_complete(path).map_err(refused)?;
        let file = File::open(path).map_err(|error| refused(error.to_string()))?;
        let (mut batch, mut container) = (String::new(), String::new());
        let mut items = 0_u64;
        for text in BufReader::new(file).lines() {
            let text = text.map_err(|error| refused(error.to_string()))?;
            if text.starts_with("{\"end\":") {
                break;
            }
            if batch.len() + text.len() > BATCH_BYTES {
                send(call, std::mem::replace(&mut batch, container.clone())).await?;
            }
            items += u64::from(text.starts_with("{\"item\":"));
            if text.starts_with("{\"items\":") {
                container = format!("{text}\n");
            }
            batch.push_str(&text);
            batch.push('\n');
        }
        send(call, batch).await?;
        line(format_args!("restored {} items into {}", thousands(items), call.endpoint))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn send(call: &ServerCall<'_>, batch: String) -> Result<(), CommandError> {
        let path = "/_planisphere/restore";
        call.send("restoring into", Method::POST, path, batch.into_bytes()).await.map(|_| ())
    }

    /// A file without its last line was cut off; nothing of it is restored.
    fn check_complete(path: &Path) -> Result<(), String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let mut lines = BufReader::new(file).lines();
        let first = lines.next().transpose().map_err(|error| error.to_string())?;
        let first = first.and_then(|first| Json::parse(first.as_bytes()).ok());
        let format = first.and_then(|first| first.get("planisphereBackup").and_then(Json::as_i64));
        if format != Some(1) {
            return Err("it is no backup of this format".to_owned());
        }
        let mut last = String::new();
        for text in lines {
            last = text.map_err(|error| error.to_string())?;
        }
        match last.starts_with("{\"end\":") {
            true => Ok(()),
            false => Err("its end is missing: the backup was interrupted".to_owned()),
        }
    }
}

/// Parses a time: RFC 3339 in UTC, or seconds since 1970.
pub(crate) fn parse_time(text: &str) -> Result<u64, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(seconds);
    }
    gateway::parse_rfc3339(text)
        .ok_or_else(|| format!("'{text}' is no time; write it like 2026-11-17T10:00:00Z"))
}
