//! Leases and the plan that lists them, as items of the lease container.
//!
//! Owns their format and the conditional writes that only one instance can win. The plan is created once, so that all
//! instances use the same feed ranges, even if partitions split later: a range that was split is still read as one.

use model::{PartitionKey, TimestampMs, TimestampSeconds};
use serde::{Deserialize, Serialize};

use crate::change_feed::ChangeStart;
use crate::error::{Error, ErrorKind, Result};
use crate::item::Item;
use crate::resource::Container;
use crate::response::EntityTag;

use super::ProcessorStart;

/// The feed ranges of the monitored container, one for each lease.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LeasePlan {
    id: String,
    pub(super) parts: Vec<String>,
    /// Where leases without a continuation start, in seconds; 0 is the beginning.
    start_second: u64,
    monitored: String,
}

/// One feed range, and the position up to which it was handled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lease {
    id: String,
    pub(super) number: usize,
    pub(super) part: String,
    pub(super) owner: Option<String>,
    pub(super) continuation: Option<String>,
    start_second: u64,
    /// Number of parked changes.
    pub(super) parked: u64,
    /// Incremented by every renewal, so that the etag of an idle lease changes, too.
    pub(super) renewals: u64,
}

/// A change that could not be handled.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ParkedChange {
    pub(super) id: String,
    pub(super) processor: String,
    pub(super) lease: usize,
    pub(super) error: String,
    pub(super) item: Option<serde_json::Value>,
    pub(super) previous: Option<serde_json::Value>,
    pub(super) item_id: Option<String>,
}

/// The items of one processor in the lease container, which has the partition key `/id`.
#[derive(Clone, Debug)]
pub(super) struct LeaseStore {
    container: Container,
    name: String,
}

impl LeaseStore {
    pub(super) async fn open(container: Container, name: String) -> Result<Self> {
        let properties = container.read_properties().await?.value;
        let paths = properties.partition_key.paths();
        let fits = paths.len() == 1 && paths.iter().all(|path| path.to_string() == "/id");
        if !fits {
            let message = format!(
                "the lease container {} needs the partition key /id; create another for leases",
                container.path()
            );
            return Err(Error::bad_request(message));
        }
        Ok(Self { container, name })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The plan. The first instance creates it.
    pub(super) async fn plan(
        &self,
        monitored: &Container,
        start: ProcessorStart,
    ) -> Result<LeasePlan> {
        // Two dots: the names of two processors cannot produce the same id unless one contains the other's suffix.
        let id = format!("{}..plan", self.name);
        let key = PartitionKey::from(id.as_str());
        match self.container.read::<LeasePlan>(&key, &id).await {
            Ok(read) => return self.check_monitored(read.value.value, monitored),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let ranges = monitored.feed_ranges().await?.value;
        let now = self.container.account().environment().now().seconds();
        let plan = LeasePlan {
            id,
            parts: ranges.iter().map(model::FeedRange::to_text).collect(),
            start_second: match start {
                ProcessorStart::Beginning => 0,
                ProcessorStart::Now => now.0,
                ProcessorStart::Time(second) => second.0,
            },
            monitored: monitored.path(),
        };
        // Create and not upsert: of several instances that start at once, one wins and all use its ranges.
        match self.container.create(&key, &plan).await {
            Ok(_) => Ok(plan),
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let read = self.container.read::<LeasePlan>(&key, &plan.id).await?;
                self.check_monitored(read.value.value, monitored)
            }
            Err(error) => Err(error),
        }
    }

    fn check_monitored(&self, plan: LeasePlan, monitored: &Container) -> Result<LeasePlan> {
        if plan.monitored == monitored.path() {
            return Ok(plan);
        }
        Err(Error::bad_request(format!(
            "the leases of processor '{}' belong to {}, not to {}; choose another name",
            self.name,
            plan.monitored,
            monitored.path()
        )))
    }

    /// All leases, in the order of their numbers. Missing ones are created.
    pub(super) async fn leases(&self, plan: &LeasePlan) -> Result<Vec<Item<Lease>>> {
        let ids: Vec<String> = (0..plan.parts.len()).map(|number| self.lease_id(number)).collect();
        let name = |id| (PartitionKey::from(String::as_str(id)), String::as_str(id));
        let names: Vec<_> = ids.iter().map(name).collect();
        let mut leases = self.container.read_many::<Lease>(&names).await?.value;
        for (number, part) in plan.parts.iter().enumerate() {
            // Missing after a crash between the plan and the leases.
            if leases.iter().all(|lease| lease.value.number != number) {
                leases.extend(self.create(plan, number, part).await?);
            }
        }
        leases.sort_by_key(|lease| lease.value.number);
        Ok(leases)
    }

    async fn create(
        &self,
        plan: &LeasePlan,
        number: usize,
        part: &str,
    ) -> Result<Option<Item<Lease>>> {
        let lease = Lease {
            id: self.lease_id(number),
            number,
            part: part.to_owned(),
            owner: None,
            continuation: None,
            start_second: plan.start_second,
            parked: 0,
            renewals: 0,
        };
        match self.container.create(&PartitionKey::from(lease.id.as_str()), &lease).await {
            Ok(created) => Ok(Some(created.value)),
            // Another instance created it; the next round sees it.
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a lease; `None` when another instance wrote it first.
    pub(super) async fn write(&self, lease: &Item<Lease>) -> Result<Option<Item<Lease>>> {
        let key = PartitionKey::from(lease.value.id.as_str());
        match self.container.save(&key, lease).await {
            Ok(saved) => Ok(Some(saved.value)),
            // By etag: this is the only mutual exclusion between instances.
            Err(error) if error.kind() == ErrorKind::Precondition => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Stores a change that could not be handled.
    pub(super) async fn park(&self, mut parked: ParkedChange) -> Result<()> {
        parked.processor.clone_from(&self.name);
        let key = PartitionKey::from(parked.id.as_str());
        self.container.upsert(&key, &parked, None).await?;
        Ok(())
    }

    fn lease_id(&self, number: usize) -> String {
        format!("{}..lease.{number}", self.name)
    }
}

impl Lease {
    /// Where the next page starts.
    pub(super) fn start(&self) -> ChangeStart {
        match (&self.continuation, self.start_second) {
            (Some(token), _) => ChangeStart::Continuation(token.clone()),
            (None, 0) => ChangeStart::Beginning,
            (None, second) => ChangeStart::Time(TimestampSeconds(second)),
        }
    }
}

/// A lease of this instance, as it was last written, with the position that was reached since.
#[derive(Clone, Debug)]
pub(super) struct HeldLease {
    pub(super) item: Item<Lease>,
    /// Just before the last write, by the clock of this instance.
    pub(super) renewed_at: TimestampMs,
    /// Changes up to this second may have been delivered to the owner before, which did not release the lease.
    pub(super) repeated_until: Option<TimestampSeconds>,
}

/// Since when a lease of another instance is unchanged, by the clock of this instance.
#[derive(Clone, Debug)]
pub(super) struct WatchedLease {
    pub(super) etag: Option<EntityTag>,
    pub(super) since_ms: u64,
}
