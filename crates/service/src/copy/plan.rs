//! What is to be copied, checked and made ready: the target exists and has the key that was asked for.
//!
//! Owns the refusals before anything is written. Does not own the copying: see `run`.

use std::num::NonZeroU32;
use std::sync::Arc;

use client::{
    Container, ContainerProperties, ErrorKind, PartitionKeyDefinition, Query, RetryPolicy,
};

use super::convert::{Conversion, Transform, Unchanged};
use super::error::CopyError;
use super::pace::Pace;

/// Changes of a page, about; a checkpoint is kept after each.
const PAGE_ITEMS: usize = 500;

/// A busy account must not end a copy of hours: it waits out what a request of a user would not.
const PATIENCE: RetryPolicy = RetryPolicy {
    attempts_max: 200,
    first_delay: std::time::Duration::from_millis(50),
    delay_max: std::time::Duration::from_secs(10),
    elapsed_max: std::time::Duration::from_secs(15 * 60),
};

/// What is to be copied.
pub struct Plan {
    /// The source.
    pub from: Container,
    /// The target; made when it is missing.
    pub to: Container,
    /// The partition key of the target. When absent: that of the target if it exists, else that of the source.
    pub partition_key: Option<PartitionKeyDefinition>,
    /// What changes on the way.
    pub transform: Arc<dyn Transform>,
    /// What happens to items that have no place in the target.
    pub on_refused: OnRefused,
    /// What happens when there is no target.
    pub on_missing: OnMissing,
    /// Request units per second, of both sides together; as fast as it goes when absent.
    pub per_second: Option<NonZeroU32>,
    /// Changes read at once, about; also the work that a crash repeats.
    pub page_items_max: usize,
}

/// What happens when an item has no place in the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRefused {
    /// Nothing more is written; the rest of the source is read to name all such items.
    Stop,
    /// It is counted and left out.
    Skip,
}

/// What happens when the target is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMissing {
    /// It is made, with the properties of the source.
    Make,
    /// The plan is refused.
    Refuse,
}

/// A copy that is ready to run.
pub struct Copy {
    pub(super) from: Container,
    pub(super) to: Container,
    pub(super) conversion: Arc<Conversion>,
    pub(super) pace: Pace,
    pub(super) on_refused: OnRefused,
    pub(super) page_items_max: usize,
    /// The target was made, or holds nothing: no earlier position means anything.
    pub(super) starts_over: bool,
}

impl Plan {
    /// A copy of everything as it is.
    #[must_use]
    pub fn new(from: Container, to: Container) -> Self {
        Self {
            from,
            to,
            partition_key: None,
            transform: Arc::new(Unchanged),
            on_refused: OnRefused::Stop,
            on_missing: OnMissing::Make,
            per_second: None,
            page_items_max: PAGE_ITEMS,
        }
    }
}

impl Copy {
    /// Checks a plan and makes the target where it is missing, with the properties of the source and the new key.
    ///
    /// # Errors
    /// `Plan` when source and target are one container, the source is missing, or the target has another partition key
    /// than the one asked for; `Call` when an account fails.
    pub async fn prepare(plan: Plan) -> Result<Self, CopyError> {
        let (from, to) = (patient(&plan.from), patient(&plan.to));
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
        let definition = chosen_key(&plan, &source, existing.as_ref())?;
        let starts_over = match existing {
            Some(_) => is_empty(&to).await?,
            None if plan.on_missing == OnMissing::Refuse => {
                return Err(CopyError::Plan(format!(
                    "there is no container {}; copy first, or name one that exists",
                    to.path()
                )));
            }
            None => {
                make(
                    &to,
                    ContainerProperties { partition_key: definition.clone(), ..source.clone() },
                )
                .await?;
                true
            }
        };
        let conversion =
            Conversion { from: source.partition_key, to: definition, transform: plan.transform };
        Ok(Self {
            pace: Pace::new(plan.per_second, from.account().environment().clone()),
            from,
            to,
            conversion: Arc::new(conversion),
            on_refused: plan.on_refused,
            page_items_max: plan.page_items_max.max(1),
            starts_over,
        })
    }

    /// How many items the source holds, if its account can tell at once.
    pub async fn source_items(&self) -> Option<u64> {
        let count = Query::text("SELECT VALUE COUNT(1) FROM c").fan_out("the length of a copy");
        let answer = self.from.query::<u64>(&count).await.ok()?;
        self.pace.pay(answer.charge);
        answer.value.first().copied()
    }

    /// Which copy this is, for its checkpoint.
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

fn patient(container: &Container) -> Container {
    container.through(&container.account().with_retry_policy(PATIENCE))
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

fn chosen_key(
    plan: &Plan,
    source: &ContainerProperties,
    existing: Option<&ContainerProperties>,
) -> Result<PartitionKeyDefinition, CopyError> {
    match (&plan.partition_key, existing) {
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

async fn make(to: &Container, mut properties: ContainerProperties) -> Result<(), CopyError> {
    let failed = |error| CopyError::call(format!("making {}", to.path()))(error);
    let database = to.database().map_err(failed)?;
    database.create_if_missing(None).await.map_err(failed)?;
    properties.id = to.properties(properties.partition_key.clone()).id;
    to.create_if_missing(properties, None).await.map_err(failed)?;
    Ok(())
}

async fn is_empty(to: &Container) -> Result<bool, CopyError> {
    let one = Query::text("SELECT VALUE c.id FROM c OFFSET 0 LIMIT 1");
    let one = one.fan_out("whether the target of a copy holds anything");
    let failed = CopyError::call(format!("reading {}", to.path()));
    Ok(to.query::<String>(&one).await.map_err(failed)?.value.is_empty())
}
