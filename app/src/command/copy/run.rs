//! The flags of the command, and the steps from opening both accounts to the verified copy.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use client::PartitionKeyDefinition;
use indicatif::ProgressBar;
use service::copy::{
    self, CopyPlan, CopyProgress, CopySummary, CopyVerification, OnExtraItem, OnMissingTarget,
    OnRejected, StopCondition,
};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::checkpoint::{self, CheckpointFile};
use super::endpoints::{CopyContainers, CopyEndpoints, FromFlags, ToFlags};
use super::print;
use crate::error::CommandError;
use crate::open::{self, StoreFlags};
use crate::progress;
use crate::transform::{self, PropertyTransform, PropertyTransforms};

/// Copy a container into another one: to another account, with another partition key, or both.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere copy --from-data DIR --from shop/orders --to shop/orders-v2 --partition-key /tenantId \\
      --transform 'tenantId=c.customer.tenant ?? \"default\"' --verify
      a container with a new partition key, in the same folder
  planisphere copy --from-data DIR --from shop/orders --to-endpoint http://localhost:8081/ --to shop/orders
      from a folder into a running server
  planisphere copy --from-connection-string env:OLD --from shop/orders --to-data DIR --to shop/orders \\
      --ru-per-second 400 --follow
      from an Azure account, slowly, following its changes until ctrl-c
  planisphere copy --from-data DIR --from shop/orders --to shop/orders-v2 --verify-only --delete-extra

How it works: items are upserted along the change feed of the source until there are no more changes. Interrupting it
at any time, even with kill -9, is safe: run the same command again and it continues from its checkpoint; if there is
nothing to do, nothing is written. The checkpoint is a file; without it a copy starts over, and no data is lost.

If the source keeps all versions (Planisphere does, for the retention of the change feed policy, and so do Azure
accounts with continuous backup), deletions are copied too. Otherwise, or after an interruption longer than the
retention, items that were deleted meanwhile, and items whose new key has changed, remain in the target as extra items:
--verify lists them and exits with 1, --delete-extra deletes them. Verify while nobody writes to the source. The time
to live of an item restarts when it is copied.

To move a service: copy with --follow, let the service write to both containers or pause it, stop with ctrl-c when the
copy has caught up, verify, and let the service use the target.

--transform sets a property to an expression of the query language over the item c; several are applied in order.
Items whose new key would have no value are listed with their ids and stop the copy; --skip-refused leaves them out
instead.

Exit codes: 0 everything is copied and, if verified, equal; 1 items were left out or differ; 2 the copy failed.")]
pub(crate) struct CopyCommand {
    #[command(flatten)]
    from: FromFlags,

    #[command(flatten)]
    to: ToFlags,

    /// Partition key of the target; repeat it for a hierarchical key. By default that of the target or the source
    #[arg(long, value_name = "PATH", help_heading = "Changes")]
    partition_key: Vec<String>,

    /// Set a property of every item, for example 'tenantId="default"'; repeat it for more
    #[arg(long, value_name = "PROPERTY=EXPRESSION", value_parser = transform::assignment,
          help_heading = "Changes")]
    transform: Vec<PropertyTransform>,

    /// Leave out items that the target cannot hold, instead of stopping
    #[arg(long, help_heading = "Changes")]
    skip_refused: bool,

    /// Request units per second to use at most, source and target together
    #[arg(long, value_name = "N", help_heading = "Progress")]
    ru_per_second: Option<NonZeroU32>,

    /// Keep following the changes of the source until ctrl-c
    #[arg(long, help_heading = "Progress")]
    follow: bool,

    /// Checkpoint file; by default in this folder, named after source and target
    #[arg(long, value_name = "FILE", help_heading = "Progress")]
    checkpoint: Option<PathBuf>,

    /// Start over and ignore the checkpoint
    #[arg(long, help_heading = "Progress")]
    restart: bool,

    /// Items read at a time; also the work that is repeated after a crash
    #[arg(long, value_name = "N", default_value_t = 500, help_heading = "Progress",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    page_items: u32,

    /// At the end, compare counts and hashes of both containers and list the items that differ
    #[arg(long, help_heading = "Verification")]
    verify: bool,

    /// Only compare, do not copy
    #[arg(long, conflicts_with_all = ["verify", "follow", "restart"], help_heading = "Verification")]
    verify_only: bool,

    /// Delete items of the target that the source does not have; with --verify or --verify-only
    #[arg(long, help_heading = "Verification")]
    delete_extra: bool,

    #[command(flatten, next_help_heading = "Folders")]
    flags: StoreFlags,
}

impl CopyCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        if self.delete_extra && !self.verify && !self.verify_only {
            return Err(CommandError::new(
                "reading --delete-extra",
                "nothing is compared without --verify",
            )
            .hint("add --verify, or --verify-only to compare without copying"));
        }
        let endpoints = CopyEndpoints::new(&self.from, &self.to)?;
        let key = crate::account_location::parse_partition_key(&self.partition_key)?;
        let assignments = PropertyTransforms::new(&self.transform).map_err(|why| {
            CommandError::new("reading --transform", why)
                .hint("`planisphere help copy` has examples")
        })?;
        let is_complete = open::block_on(self.copy_and_verify(&endpoints, key, assignments))?;
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    /// Opens both accounts, copies, verifies and closes them. Returns whether nothing was left out and nothing differs.
    async fn copy_and_verify(
        &self,
        endpoints: &CopyEndpoints,
        key: Option<PartitionKeyDefinition>,
        assignments: PropertyTransforms,
    ) -> Result<bool, CommandError> {
        // Lock the checkpoint first: another copy may be running.
        let checkpoint = match self.verify_only {
            true => None,
            false => Some(self.checkpoint(endpoints)?),
        };
        let containers = endpoints.open(&self.flags).await?;
        let mut plan = CopyPlan::new(containers.from.clone(), containers.to.clone());
        plan.partition_key = key;
        plan.transform = Arc::new(assignments);
        plan.per_second = self.ru_per_second;
        plan.page_items_max = usize::try_from(self.page_items).unwrap_or(usize::MAX);
        if self.skip_refused {
            plan.on_rejected = OnRejected::Skip;
        }
        if self.verify_only {
            plan.on_missing_target = OnMissingTarget::Fail;
        }
        let result = self.run_steps(endpoints, &containers, plan, checkpoint).await;
        // Also after an error, which is then reported first.
        let closed = containers.close().await;
        let is_complete = result?;
        closed?;
        Ok(is_complete)
    }

    fn checkpoint(&self, endpoints: &CopyEndpoints) -> Result<CheckpointFile, CommandError> {
        let default = || checkpoint::default_path(&format!("{} {}", endpoints.from, endpoints.to));
        CheckpointFile::open(self.checkpoint.clone().unwrap_or_else(default), self.restart)
    }

    async fn run_steps(
        &self,
        endpoints: &CopyEndpoints,
        containers: &CopyContainers,
        plan: CopyPlan,
        checkpoint: Option<CheckpointFile>,
    ) -> Result<bool, CommandError> {
        let what = format!("copying {} to {}", endpoints.from, endpoints.to);
        let file = checkpoint.as_ref().map(|file| file.path().to_owned()).unwrap_or_default();
        let failed = |error| print::failure(&what, &file, &error);
        let copy = copy::ContainerCopy::prepare(plan).await.map_err(failed)?;
        let mut is_complete = true;
        if let Some(checkpoint) = &checkpoint {
            let copied = self.copy(&copy, checkpoint).await.map_err(failed)?;
            print::copied(&copied, &containers.from.path(), &containers.to.path())?;
            is_complete = copied.rejected_total == 0;
        }
        if self.verify || self.verify_only {
            let found = self.compare(&copy).await.map_err(failed)?;
            print::verification(&found)?;
            is_complete &= found.is_equal() && found.refused == 0;
        }
        Ok(is_complete)
    }

    async fn copy(
        &self,
        copy: &copy::ContainerCopy,
        checkpoint: &CheckpointFile,
    ) -> Result<CopySummary, copy::CopyError> {
        let bar = match copy.source_items().await {
            Some(items) => progress::bar(items, "copying"),
            None => progress::counter("copying"),
        };
        let until = if self.follow {
            StopCondition::Signal(stop_signal())
        } else {
            StopCondition::CaughtUp
        };
        let copied = copy.run(checkpoint, until, &|progress| show(&bar, progress)).await;
        bar.finish_and_clear();
        copied
    }

    async fn compare(
        &self,
        copy: &copy::ContainerCopy,
    ) -> Result<CopyVerification, copy::CopyError> {
        let on_extra = if self.delete_extra { OnExtraItem::Delete } else { OnExtraItem::Report };
        let bar = progress::counter("verifying");
        let found = copy.verify(on_extra, &|items| bar.set_position(items)).await;
        bar.finish_and_clear();
        found
    }
}

fn show(bar: &ProgressBar, progress: CopyProgress) {
    // Items are counted before the copy, and repetitions count again.
    if bar.length().is_some_and(|length| length < progress.copied) {
        bar.set_length(progress.copied);
    }
    bar.set_position(progress.copied);
    if progress.is_caught_up {
        bar.set_message("caught up, following");
    }
}

/// A receiver that becomes true when the process is asked to end.
fn stop_signal() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        let terminated = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => signal.recv().await,
                // Without the signal, only ctrl-c works.
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated => {}
        }
        // The copy may have ended already.
        let _ = sender.send(true);
    });
    receiver
}
