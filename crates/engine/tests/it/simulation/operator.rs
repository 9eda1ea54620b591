//! Whoever splits, merges, sweeps and changes policies and throughput while the clients work.

use engine::operation::{MergePartitions, ReplaceContainer, SplitPartition, ThroughputOwner};
use engine::{ContainerLink, Engine, ErrorKind, Result};
use model::{IndexPath, Throughput};

use super::trace::Trace;
use crate::random::SeededRandom;

pub(super) struct Operator {
    pub(super) link: ContainerLink,
    pub(super) random: SeededRandom,
    pub(super) trace: Trace,
}

impl Operator {
    /// Works until the power is cut; what the store refuses is tried again another time. Returns how often the
    /// partitions were split or merged.
    pub(super) async fn run(&mut self, engine: &Engine, is_over: impl Fn() -> bool) -> u64 {
        let mut restructured = 0;
        while !is_over() {
            for _ in 0..self.random.below(25) {
                tokio::task::yield_now().await;
            }
            let done = self.act(engine).await;
            if let Err(error) = &done {
                let expected = [ErrorKind::Unavailable, ErrorKind::PartitionGone];
                assert!(expected.contains(&error.kind()), "{error}");
            }
            let done = done.map_err(|error| error.kind());
            restructured += u64::from(matches!(&done, Ok(text) if text.contains("partition")));
            self.trace.event(format_args!("operator {done:?}"));
        }
        restructured
    }

    async fn act(&mut self, engine: &Engine) -> Result<String> {
        let listed = engine.list_partitions(&self.link).await?.value;
        let (listed, needed) = (listed.partitions, listed.partitions_min as usize);
        let at = usize::try_from(self.random.below(listed.len() as u64)).unwrap();
        match self.random.below(7) {
            // What a crash has interrupted is due again in the next life.
            _ if listed.len() < needed => split_due(engine).await,
            0 | 1 if listed.len() < 5 => {
                let container = self.link.clone();
                let split = SplitPartition { container, partition: listed[at].number, at: None };
                Ok(format!("split partition into {:?}", engine.split_partition(split).await?.value))
            }
            2 | 3 if listed.len() > needed => {
                let at = at.min(listed.len() - 2);
                let partitions = (listed[at].number, listed[at + 1].number);
                let merge = MergePartitions { container: self.link.clone(), partitions };
                Ok(format!("merged partition {:?}", engine.merge_partitions(merge).await?.value))
            }
            4 => self.replace_policy(engine).await,
            5 => self.replace_throughput(engine).await,
            _ => Ok(format!("{:?}", engine.maintain().await?)),
        }
    }

    async fn replace_throughput(&mut self, engine: &Engine) -> Result<String> {
        let wanted = [400, 11_000, 25_000][usize::try_from(self.random.below(3)).unwrap()];
        let owner = ThroughputOwner::Container(self.link.clone());
        let replaced = engine.replace_throughput(&owner, Throughput::Manual(wanted)).await?.value;
        if replaced.pending { split_due(engine).await } else { Ok(format!("throughput {wanted}")) }
    }

    async fn replace_policy(&mut self, engine: &Engine) -> Result<String> {
        let mut properties = engine.read_container(&self.link).await?.value.properties;
        let path = IndexPath::parse("/m/?").unwrap();
        let excluded = &mut properties.indexing_policy.excluded;
        if excluded.contains(&path) {
            excluded.retain(|excluded| *excluded != path);
        } else {
            excluded.push(path);
        }
        let replace = ReplaceContainer { link: self.link.clone(), properties, precondition: None };
        engine.replace_container(replace).await?;
        Ok("policy".to_owned())
    }
}

async fn split_due(engine: &Engine) -> Result<String> {
    let done = engine.split_due_partitions().await?;
    Ok(format!("split {} partitions that were due", done.by_throughput))
}
