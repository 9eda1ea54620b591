//! The flags of the data explorer.

use clap::Args;
use gateway::{ChangePlanner, ExplorerSettings};

use super::change_plan::plan_change;
use super::emulator::EmulatorVariables;

/// The flags about the explorer.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExplorerFlags {
    /// Do not serve the data explorer at /_explorer/
    #[arg(long)]
    no_explorer: bool,

    /// Let the data explorer only read
    #[arg(long, conflicts_with = "no_explorer")]
    explorer_read_only: bool,

    /// Record the last requests from the start, for the data explorer; otherwise from its first sign-in
    #[arg(long, conflicts_with = "no_explorer")]
    record_requests: bool,
}

impl ExplorerFlags {
    /// Adds the emulators' environment variables where the flags are absent.
    pub(crate) fn with_variables(mut self, variables: &EmulatorVariables) -> Self {
        self.no_explorer |= variables.explorer == Some(false);
        self
    }

    pub(crate) fn is_served(&self) -> bool {
        !self.no_explorer
    }

    /// The settings; `None` without an explorer. `hosts` are the names under which the server is reached.
    pub(crate) fn settings<'a>(
        &self,
        hosts: impl IntoIterator<Item = &'a str>,
    ) -> Option<ExplorerSettings> {
        if self.no_explorer {
            return None;
        }
        Some(ExplorerSettings {
            pages: explorer::PAGES,
            is_read_only: self.explorer_read_only,
            host_names: hosts.into_iter().map(str::to_owned).collect(),
            record_requests: self.record_requests,
            planner: ChangePlanner::new(|change| Box::pin(plan_change(change))),
        })
    }
}

/// The host of a URL, without its port.
pub(crate) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn the_host_of_an_endpoint_is_found() {
        for url in ["https://db.example:8081/", "http://db.example", "db.example:1/x"] {
            assert_eq!(host_of(url), "db.example", "{url}");
        }
    }
}
