//! `planisphere backup`: saves the account of a running server in a file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gateway::AccountKey;

use crate::account_key::read_account_key;
use crate::error::CommandError;

/// The server of a backup or restore.
#[derive(Debug, Args)]
pub(crate) struct ServerFlags {
    /// Address of the running server
    #[arg(long, value_name = "URL", default_value = "http://localhost:8081/")]
    pub(crate) endpoint: String,

    /// Account key of the server in base64; by default the well-known key of the emulators
    #[arg(long, value_name = "KEY", conflicts_with = "key_file")]
    key: Option<String>,

    /// File that contains the account key
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl ServerFlags {
    pub(crate) fn account_key(&self) -> Result<AccountKey, CommandError> {
        read_account_key(self.key.as_deref(), self.key_file.as_deref())
    }
}

/// Save everything in a running server in one file: databases, containers, scripts, users and items.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere backup --out shop.backup                         the server at http://localhost:8081/
  planisphere backup --endpoint https://db.example/ --key-file key --out shop.backup
  planisphere backup --at 2026-11-17T10:00:00Z --out then.backup    as it was, within the retained versions

All items are those of one moment; the server goes on serving. The file is written beside its name and gets it when it
is complete; only its owner can read it. `planisphere restore` reads it.")]
pub(crate) struct BackupCommand {
    #[command(flatten)]
    server: ServerFlags,

    /// File to write; must not exist
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// A second of the past, as 2026-11-17T10:00:00Z or as seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = crate::command::restore::parse_time)]
    at: Option<u64>,
}

impl BackupCommand {
    #[cfg(feature = "connect")]
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let key = self.server.account_key()?;
        crate::open::block_on(self.save(&key))
    }

    #[cfg(not(feature = "connect"))]
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let _ = (self.server.account_key()?, self.out, self.at);
        let reason = "this binary was built without the feature 'connect'";
        Err(CommandError::new(format!("saving {}", self.server.endpoint), reason)
            .hint("Build it in: cargo run --release --features connect -- backup"))
    }

    #[cfg(feature = "connect")]
    async fn save(&self, key: &AccountKey) -> Result<ExitCode, CommandError> {
        use std::io::Write;

        use model::{Json, Object};
        use reqwest::Method;

        use crate::output::{line, thousands};
        use crate::private_file::NewFile;
        use crate::server_call::ServerCall;

        let action = "saving";
        let call = ServerCall { endpoint: &self.server.endpoint, key };
        let cannot_write = |error: std::io::Error| {
            CommandError::new(format!("writing {}", self.out.display()), error.to_string())
                .hint("Choose another file with --out")
        };
        let mut file = NewFile::create(&self.out).map_err(cannot_write)?;
        let mut body = Object::new();
        if let Some(at) = self.at {
            body.insert("at", i64::try_from(at).unwrap_or(i64::MAX));
        }
        let body = Json::Object(body).to_bytes();
        let begun = call.send(action, Method::POST, "/_planisphere/backups", body).await?;
        let begun = Json::parse(&begun).map_err(|error| {
            let what = format!("reading the response of {}", self.server.endpoint);
            CommandError::new(what, error.to_string()).hint("Is this a planisphere server?")
        })?;
        for each in begun.get("lines").and_then(Json::as_array).unwrap_or_default() {
            writeln!(file, "{each}").map_err(cannot_write)?;
        }
        let number = begun.get("backup").and_then(Json::as_i64).unwrap_or_default();
        let path = format!("/_planisphere/backups/{number}");
        let mut items = 0_u64;
        loop {
            let lines = call.send(action, Method::GET, &path, Vec::new()).await?;
            if lines.is_empty() {
                break;
            }
            let begins = lines.split(|byte| *byte == b'\n');
            items += begins.filter(|text| text.starts_with(b"{\"item\":")).count() as u64;
            file.write_all(&lines).map_err(cannot_write)?;
        }
        // Only a complete file has this last line.
        let mut end = Object::new();
        end.insert("end", i64::try_from(items).unwrap_or(i64::MAX));
        writeln!(file, "{}", Json::Object(end)).map_err(cannot_write)?;
        file.finish().map_err(cannot_write)?;
        line(format_args!("saved {} items in {}", thousands(items), self.out.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}
