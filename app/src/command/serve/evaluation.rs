//! How much the evaluation of queries and conditions may consume.
//!
//! Owns the flags and their units, and what happens to queries over partitions. The defaults are those of the engine
//! and the gateway.

use clap::{Args, ValueEnum};
use gateway::CrossPartition;

/// What happens to queries over several partitions whose results must be merged.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum CrossPartitionPolicy {
    /// Reject them with a query plan, as Azure does; clients merge the results
    Strict,
    /// Merge the results and return them
    Generous,
}

impl From<CrossPartitionPolicy> for CrossPartition {
    fn from(policy: CrossPartitionPolicy) -> Self {
        match policy {
            CrossPartitionPolicy::Strict => Self::Strict,
            CrossPartitionPolicy::Generous => Self::Generous,
        }
    }
}

/// The flags about the budget of a request, and of all requests together.
#[derive(Clone, Debug, Args)]
pub(crate) struct EvaluationFlags {
    /// Seconds that a page of a query may take; then it returns its rows so far, or 408
    #[arg(long, value_name = "SECONDS", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    query_seconds: u64,

    /// Millions of units of work that one query may spend: tuples of joins, calls, 64 bytes read or built
    #[arg(long, value_name = "MILLIONS", default_value_t = 1000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    query_work: u64,

    /// Long evaluations that run at the same time; 0 is one less than the machine has cores
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    evaluations: usize,

    /// Long evaluations that are begun at the same time, each on a thread
    #[arg(long, value_name = "NUMBER", default_value_t = 64,
          value_parser = clap::value_parser!(u16).range(1..=400))]
    evaluation_threads: u16,

    /// Megabytes that all evaluations together may hold, beyond 1 MB that each one has
    #[arg(long, value_name = "MB", default_value_t = 1024,
          value_parser = clap::value_parser!(u32).range(1..))]
    evaluation_memory: u32,

    /// Milliseconds that a request with scripts may take, and one call of a user-defined function
    #[arg(long, value_name = "MS", default_value_t = 5000,
          value_parser = clap::value_parser!(u64).range(10..=600_000))]
    script_ms: u64,

    /// Megabytes of the heap of one script
    #[arg(long, value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    script_memory: u32,

    /// Scripts that run at the same time; 0 is twice the number of cores, and at least four
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    scripts_at_once: usize,
}

impl EvaluationFlags {
    /// The engine settings with these limits.
    pub(crate) fn apply(&self, settings: engine::EngineSettings) -> engine::EngineSettings {
        engine::EngineSettings {
            request_work_max: self.query_work * 1_000_000,
            evaluations_at_once_max: self.evaluations,
            evaluation_threads_max: usize::from(self.evaluation_threads),
            evaluation_memory_max: (self.evaluation_memory as usize) << 20,
            scripts: engine::ScriptSettings {
                time_max_ms: self.script_ms,
                memory_bytes_max: (self.script_memory as usize) << 20,
                at_once_max: self.scripts_at_once,
                ..settings.scripts
            },
            ..settings
        }
    }

    /// How long a page may take, in milliseconds.
    pub(crate) fn page_ms_max(&self) -> u64 {
        self.query_seconds * 1000
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::EvaluationFlags;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        evaluation: EvaluationFlags,
    }

    #[test]
    fn the_defaults_are_those_of_the_engine_and_the_gateway() {
        let flags = Flags::parse_from(["serve"]).evaluation;
        let defaults = engine::EngineSettings::default();
        assert_eq!(flags.apply(defaults.clone()), defaults);
        assert_eq!(flags.page_ms_max(), gateway::Limits::default().page_ms_max);
    }
}
