//! The plan of a copy, and its preparation: the target exists and has the requested partition key.
//!
//! Owns the checks before anything is written. Does not own the copying: see `run`.

use std::num::NonZeroU32;
use std::sync::Arc;

use client::{
    Container, ContainerProperties, ErrorKind, PartitionKeyDefinition, Query, RetryPolicy,
};

use super::convert::{IdentityTransform, ItemConversion, Transform};
use super::error::CopyError;
use super::pacer::RequestUnitPacer;

/// The approximate number of changes in a page; a checkpoint is saved after each page.
const PAGE_ITEMS: usize = 500;

/// A busy account must not end a copy that runs for hours, so it retries for longer than a request of a user would.
const COPY_RETRY_POLICY: RetryPolicy = RetryPolicy {
    attempts_max: 200,
    first_delay: std::time::Duration::from_millis(50),
    delay_max: std::time::Duration::from_secs(10),
    elapsed_max: std::time::Duration::from_secs(15 * 60),
};

/// The plan of a copy.
pub struct CopyPlan {
    /// The source.
    pub from: Container,
    /// The target; created if it is missing.
    pub to: Container,
    /// The partition key of the target. If absent: that of the target if it exists, otherwise that of the source.
    pub partition_key: Option<PartitionKeyDefinition>,
    /// The change applied to each item.
    pub transform: Arc<dyn Transform>,
    /// What to do with items that the target cannot hold.
    pub on_rejected: OnRejected,
    /// What to do if the target is missing.
    pub on_missing_target: OnMissingTarget,
    /// Request units per second for both sides together; unlimited if absent.
    pub per_second: Option<NonZeroU32>,
    /// The approximate number of changes per page, which is also the work that a crash repeats.
    pub page_items_max: usize,
}

/// What to do with an item that the target cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRejected {
    /// Write nothing more, and read the rest of the source to list all such items.
    Stop,
    /// Count it and skip it.
    Skip,
}

/// What to do if the target is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMissingTarget {
    /// Create it with the properties of the source.
    Create,
    /// Fail.
    Fail,
}

/// A copy that is ready to run.
pub struct ContainerCopy {
    pub(super) from: Container,
    pub(super) to: Container,
    pub(super) conversion: Arc<ItemConversion>,
    pub(super) pacer: RequestUnitPacer,
    pub(super) on_rejected: OnRejected,
    pub(super) page_items_max: usize,
    /// The target was just created, or is empty: an earlier checkpoint is meaningless.
    pub(super) starts_over: bool,
}

impl CopyPlan {
    /// A plan that copies everything unchanged.
    #[must_use]
    pub fn new(from: Container, to: Container) -> Self {
        Self {
            from,
            to,
            partition_key: None,
            transform: Arc::new(IdentityTransform),
            on_rejected: OnRejected::Stop,
            on_missing_target: OnMissingTarget::Create,
            per_second: None,
            page_items_max: PAGE_ITEMS,
        }
    }
}

impl ContainerCopy {
    /// Checks a plan and creates the target if it is missing, with the properties of the source and the new key.
    ///
    /// # Errors
    /// `Plan` if source and target are the same container, the source is missing, or the target has another partition
    /// key than the requested one; `Call` if an account fails.
    pub async fn prepare(plan: CopyPlan) -> Result<Self, CopyError> {
        let (from, to) = (with_copy_retries(&plan.from), with_copy_retries(&plan.to));
        // A copy onto itself would follow its own writes for ever.
        if plan.from.is_same(&plan.to) {
            return Err(CopyError::Plan(format!(
                "source and target are both {}; name another container for the target",
                from.path()
            )));
        }
        let source = source_properties(&from).await?;
        let existing = match to.read_properties().await {
            Ok(answer) => Some(answer.value),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(CopyError::call(format!("reading {}", to.path()))(error)),
        };
        let definition = choose_partition_key(&plan, &source, existing.as_ref())?;
        let starts_over = match existing {
            Some(_) => check_empty(&to).await?,
            None if plan.on_missing_target == OnMissingTarget::Fail => {
                return Err(CopyError::Plan(format!(
                    "there is no container {}; copy first, or name one that exists",
                    to.path()
                )));
            }
            None => {
                create_target(
                    &to,
                    // Indexes, unique keys and time to live of the source, so that the copy behaves the same.
                    ContainerProperties { partition_key: definition.clone(), ..source.clone() },
                )
                .await?;
                true
            }
        };
        let conversion = ItemConversion {
            from: source.partition_key,
            to: definition,
            transform: plan.transform,
        };
        Ok(Self {
            pacer: RequestUnitPacer::new(plan.per_second, from.account().environment().clone()),
            from,
            to,
            conversion: Arc::new(conversion),
            on_rejected: plan.on_rejected,
            // A page without items would never make progress.
            page_items_max: plan.page_items_max.max(1),
            starts_over,
        })
    }

    /// The number of items in the source, if its account can count them.
    pub async fn source_items(&self) -> Option<u64> {
        let count = Query::text("SELECT VALUE COUNT(1) FROM c").fan_out("the length of a copy");
        // Only for the display of progress, so an error is no reason to stop.
        let answer = self.from.query::<u64>(&count).await.ok()?;
        self.pacer.pay(answer.charge);
        answer.value.first().copied()
    }

    /// Identifies this copy in its checkpoint.
    pub(super) fn name(&self) -> String {
        format!(
            "{} to {} by {} with {}",
            self.from.path(),
            self.to.path(),
            self.conversion.to.to_json(),
            self.conversion.transform.description()
        )
    }
}

fn with_copy_retries(container: &Container) -> Container {
    container.through(&container.account().with_retry_policy(COPY_RETRY_POLICY))
}

async fn source_properties(from: &Container) -> Result<ContainerProperties, CopyError> {
    match from.read_properties().await {
        Ok(answer) => Ok(answer.value),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(CopyError::Plan(format!(
            "there is no container {} to copy; name one that exists",
            from.path()
        ))),
        Err(error) => Err(CopyError::call(format!("reading {}", from.path()))(error)),
    }
}

fn choose_partition_key(
    plan: &CopyPlan,
    source: &ContainerProperties,
    existing: Option<&ContainerProperties>,
) -> Result<PartitionKeyDefinition, CopyError> {
    match (&plan.partition_key, existing) {
        // By paths only: kind and version of an existing container cannot be chosen any more.
        (Some(asked), Some(existing)) if asked.paths() != existing.partition_key.paths() => {
            Err(CopyError::Plan(format!(
                "{} exists with the partition key {}, not {}; leave the key out, or choose another target",
                plan.to.path(),
                existing.partition_key.to_json(),
                asked.to_json()
            )))
        }
        (_, Some(existing)) => Ok(existing.partition_key.clone()),
        (Some(asked), None) => Ok(asked.clone()),
        (None, None) => Ok(source.partition_key.clone()),
    }
}

async fn create_target(
    to: &Container,
    mut properties: ContainerProperties,
) -> Result<(), CopyError> {
    let failed = |error| CopyError::call(format!("making {}", to.path()))(error);
    let database = to.database().map_err(failed)?;
    database.create_if_missing(None).await.map_err(failed)?;
    // The properties come from the source and still carry its name.
    properties.id = to.properties(properties.partition_key.clone()).id;
    to.create_if_missing(properties, None).await.map_err(failed)?;
    Ok(())
}

async fn check_empty(to: &Container) -> Result<bool, CopyError> {
    let one = Query::text("SELECT VALUE c.id FROM c OFFSET 0 LIMIT 1");
    let one = one.fan_out("whether the target of a copy holds anything");
    let failed = CopyError::call(format!("reading {}", to.path()));
    Ok(to.query::<String>(&one).await.map_err(failed)?.value.is_empty())
}
