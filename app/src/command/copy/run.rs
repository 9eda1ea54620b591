//! The flags of the command, and the steps from them to a verified copy.

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
use super::side::{FromFlags, Opened, Sides, ToFlags};
use super::tell;
use crate::failure::Failure;
use crate::open::{self, StoreFlags};
use crate::progress;
use crate::transform::{self, Assignment, Assignments};

/// Copy a container into another one: to another place, under another partition key, or both.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere copy --from-data DIR --from shop/orders --to shop/orders-v2 --partition-key /tenantId \\
      --transform 'tenantId=c.customer.tenant ?? \"default\"' --verify
      a container under a new partition key, in the same folder
  planisphere copy --from-data DIR --from shop/orders --to-endpoint http://localhost:8081/ --to shop/orders
      from a folder into a running server
  planisphere copy --from-connection-string env:OLD --from shop/orders --to-data DIR --to shop/orders \\
      --ru-per-second 400 --follow
      an account of the service, slowly, and its changes until ctrl-c
  planisphere copy --from-data DIR --from shop/orders --to shop/orders-v2 --verify-only --delete-extra

How it goes: items are upserted along the change feed of the source until nothing is new. A stop at any moment, also
kill -9, is harmless: run the same command again and it goes on at its checkpoint; when there is nothing to do, nothing
is written. The checkpoint is a file; losing it costs a second pass and no data.

A source that keeps all versions (ours do, for the retention of their change feed policy, and accounts with continuous
backup) tells its deletions, and they are done in the target too. From any other source, or when the copy was away for
longer, items deleted meanwhile and the old places of items whose new key has changed stay in the target as extra items:
--verify names them and ends with 1, --delete-extra removes them. Verify when nobody writes to the source. The time to
live of an item counts from its copy.

To move a service: copy with --follow, let the service write to both or pause it, stop with ctrl-c when it has caught
up, verify, and let the service read the target.

--transform sets a property to an expression of the query language over the item c; several are done in their order.
Items whose new key has no value are listed with their ids, and nothing is written beyond them; --skip-refused leaves
them out instead.

Exit codes: 0 all is copied and, if asked for, the same; 1 items were left out or differ; 2 it could not be done.")]
pub(crate) struct Copy {
    #[command(flatten)]
    from: FromFlags,

    #[command(flatten)]
    to: ToFlags,

    /// Partition key of the target; repeat it for a hierarchical one. That of the target or the source when absent
    #[arg(long, value_name = "PATH", help_heading = "What changes")]
    partition_key: Vec<String>,

    /// Set a property of every item, for example 'tenantId="default"'; repeat it for more
    #[arg(long, value_name = "PROPERTY=EXPRESSION", value_parser = transform::assignment,
          help_heading = "What changes")]
    transform: Vec<Assignment>,

    /// Leave out items that have no place in the target, instead of stopping
    #[arg(long, help_heading = "What changes")]
    skip_refused: bool,

    /// Request units per second at most, source and target together
    #[arg(long, value_name = "N", help_heading = "How")]
    ru_per_second: Option<NonZeroU32>,

    /// Stay and follow the changes of the source until ctrl-c
    #[arg(long, help_heading = "How")]
    follow: bool,

    /// File of the checkpoint; one in this folder, named by source and target, when absent
    #[arg(long, value_name = "FILE", help_heading = "How")]
    checkpoint: Option<PathBuf>,

    /// Begin anew, whatever the checkpoint says
    #[arg(long, help_heading = "How")]
    restart: bool,

    /// Items read at once; also the work that a crash repeats
    #[arg(long, value_name = "N", default_value_t = 500, help_heading = "How",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    page_items: u32,

    /// Compare counts and hashes of both sides at the end, and name the items that differ
    #[arg(long, help_heading = "At the end")]
    verify: bool,

    /// Compare, and copy nothing
    #[arg(long, conflicts_with_all = ["verify", "follow", "restart"], help_heading = "At the end")]
    verify_only: bool,

    /// Delete items of the target that the source does not hold; with --verify or --verify-only
    #[arg(long, help_heading = "At the end")]
    delete_extra: bool,

    #[command(flatten, next_help_heading = "Folders")]
    flags: StoreFlags,
}

impl Copy {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        if self.delete_extra && !self.verify && !self.verify_only {
            return Err(Failure::new(
                "reading --delete-extra",
                "nothing is compared without --verify",
            )
            .way_out("add --verify, or --verify-only to compare without copying"));
        }
        let sides = Sides::new(&self.from, &self.to)?;
        let key = crate::place::partition_key(&self.partition_key)?;
        let assignments = Assignments::new(&self.transform).map_err(|why| {
            Failure::new("reading --transform", why).way_out("`planisphere help copy` has examples")
        })?;
        let is_whole = open::run(self.answer(&sides, key, assignments))?;
        Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    /// Opens both places, copies, verifies and closes. Whether nothing was left out and nothing differs.
    async fn answer(
        &self,
        sides: &Sides,
        key: Option<PartitionKeyDefinition>,
        assignments: Assignments,
    ) -> Result<bool, Failure> {
        // The checkpoint first: another copy may be under way.
        let checkpoint = match self.verify_only {
            true => None,
            false => Some(self.checkpoint(sides)?),
        };
        let opened = sides.open(&self.flags).await?;
        let mut plan = CopyPlan::new(opened.from.clone(), opened.to.clone());
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
        let answered = self.carry_out(sides, &opened, plan, checkpoint).await;
        let closed = opened.close().await;
        let is_whole = answered?;
        closed?;
        Ok(is_whole)
    }

    fn checkpoint(&self, sides: &Sides) -> Result<CheckpointFile, Failure> {
        let default = || checkpoint::default_path(&format!("{} {}", sides.from, sides.to));
        CheckpointFile::open(self.checkpoint.clone().unwrap_or_else(default), self.restart)
    }

    async fn carry_out(
        &self,
        sides: &Sides,
        opened: &Opened,
        plan: CopyPlan,
        checkpoint: Option<CheckpointFile>,
    ) -> Result<bool, Failure> {
        let what = format!("copying {} to {}", sides.from, sides.to);
        let file = checkpoint.as_ref().map(|file| file.path().to_owned()).unwrap_or_default();
        let failed = |error| tell::failure(&what, &file, &error);
        let copy = copy::ContainerCopy::prepare(plan).await.map_err(failed)?;
        let mut is_whole = true;
        if let Some(checkpoint) = &checkpoint {
            let copied = self.copy(&copy, checkpoint).await.map_err(failed)?;
            tell::copied(&copied, &opened.from.path(), &opened.to.path())?;
            is_whole = copied.rejected_total == 0;
        }
        if self.verify || self.verify_only {
            let found = self.compare(&copy).await.map_err(failed)?;
            tell::verification(&found)?;
            is_whole &= found.is_equal() && found.refused == 0;
        }
        Ok(is_whole)
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
    if bar.length().is_some_and(|length| length < progress.copied) {
        bar.set_length(progress.copied);
    }
    bar.set_position(progress.copied);
    if progress.is_caught_up {
        bar.set_message("caught up, following");
    }
}

/// Becomes true when the user or the system asks the process to end.
fn stop_signal() -> watch::Receiver<bool> {
    let (tell, told) = watch::channel(false);
    tokio::spawn(async move {
        let terminated = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => signal.recv().await,
                // Without it, only ctrl-c is heard.
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated => {}
        }
        // Nobody listens any more when the copy has ended.
        let _ = tell.send(true);
    });
    told
}
