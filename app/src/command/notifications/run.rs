//! The subcommands and the one match that leads to each.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{budget, erase, retry, schema, send, serve, settings, tail};
use crate::failure::Failure;
use crate::open;

/// Run the notifications system: events in, an in-app list and pushes out
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere notifications serve --demo          people, events and a page to try; prints a link that signs in
  planisphere notifications serve --data DIR --settings notifications.toml
  planisphere notifications serve --connection-string env:COSMOS --set Identity:Issuer=https://id.example/ ...
  planisphere notifications send --data DIR --user bob --type POST_LIKE --target-id p1 --actor-name Alice
  planisphere notifications tail --endpoint http://localhost:8081/
  planisphere notifications retry --data DIR --dead
  planisphere notifications erase bob --data DIR --yes
  planisphere notifications schema export --to terraform
  planisphere notifications settings show --settings notifications.toml
  planisphere notifications budget --users 50000 --events-per-user 10 --reads-per-user 5

A folder is open in one process at a time. To work beside a running service, let the service use a server
(`planisphere serve`) or an account, and give its --endpoint or --connection-string here too.

Exit codes: 0 all is well, 1 something was not found or differs, 2 it could not be carried out.")]
pub(crate) struct Notifications {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Serve(Box<serve::Serve>),
    Send(Box<send::Send>),
    Tail(Box<tail::Tail>),
    Retry(Box<retry::Retry>),
    Erase(Box<erase::Erase>),
    Schema(Box<schema::Schema>),
    Settings(Box<settings::Settings>),
    Budget(budget::Budget),
}

impl Notifications {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.what {
            What::Serve(serve) => open::run(serve.run()),
            What::Send(send) => open::run(send.run()),
            What::Tail(tail) => open::run(tail.run()),
            What::Retry(retry) => open::run(retry.run()),
            What::Erase(erase) => open::run(erase.run()),
            What::Schema(schema) => schema.run(),
            What::Settings(settings) => settings.run(),
            What::Budget(budget) => open::run(budget.run()),
        }
    }
}
