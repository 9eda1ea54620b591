//! The limits of connections that an operator may change.

use clap::Args;
use gateway::Limits;

/// The flags about connections.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitFlags {
    /// Maximum number of open connections; beyond it, the one that has been idle for the longest time is closed
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_connections: Option<u32>,

    /// Maximum number of open connections of one client address; raise it behind a proxy
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_connections_per_address: Option<u32>,
}

impl LimitFlags {
    pub(crate) fn limits(&self) -> Limits {
        let defaults = Limits::default();
        let given = |flag: Option<u32>, default: usize| {
            flag.and_then(|count| usize::try_from(count).ok()).unwrap_or(default)
        };
        Limits {
            connections_max: given(self.max_connections, defaults.connections_max),
            connections_per_address_max: given(
                self.max_connections_per_address,
                defaults.connections_per_address_max,
            ),
            ..defaults
        }
    }
}
