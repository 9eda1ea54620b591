//! When a server splits physical partitions by itself.

use clap::Args;
use engine::{AutoSplit, EngineSettings};

const GIBIBYTE: u64 = 1024 * 1024 * 1024;

/// The flags about physical partitions.
#[derive(Clone, Debug, Args)]
pub(crate) struct PartitionFlags {
    /// Split physical partitions that are too large or too hot, in the background. Without it, only a higher throughput
    /// splits them
    #[arg(long)]
    auto_split: bool,

    /// A physical partition with more gigabytes of items is too large, with --auto-split
    #[arg(long, value_name = "GB", default_value_t = 50, requires = "auto_split",
          value_parser = clap::value_parser!(u64).range(1..=1024 * 1024))]
    auto_split_gb: u64,

    /// A physical partition that spends so many request units per second for five minutes is too hot, with --auto-split
    #[arg(long, value_name = "RU", default_value_t = 8000, requires = "auto_split",
          value_parser = clap::value_parser!(u32).range(1..))]
    auto_split_ru: u32,
}

impl PartitionFlags {
    pub(super) fn apply(&self, settings: EngineSettings) -> EngineSettings {
        let auto_split = self.auto_split.then_some(AutoSplit {
            item_bytes_max: self.auto_split_gb * GIBIBYTE,
            request_units_max: self.auto_split_ru,
        });
        EngineSettings { auto_split, ..settings }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        partitions: PartitionFlags,
    }

    fn auto_split(flags: &[&str]) -> Option<AutoSplit> {
        let flags = Flags::try_parse_from([&["x"], flags].concat()).unwrap();
        flags.partitions.apply(EngineSettings::default()).auto_split
    }

    #[test]
    fn the_defaults_of_the_flags_are_those_of_the_engine() {
        assert_eq!(auto_split(&[]), None);
        assert_eq!(auto_split(&["--auto-split"]), Some(AutoSplit::default()));
        let changed = auto_split(&["--auto-split", "--auto-split-gb", "1", "--auto-split-ru", "5"]);
        let expected = AutoSplit { item_bytes_max: GIBIBYTE, request_units_max: 5 };
        assert_eq!(changed, Some(expected));
    }
}
