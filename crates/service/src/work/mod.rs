//! Background work that survives restarts: work queues, periodic jobs, and items that expire.
//!
//! ```text
//! change feed ─► WorkQueue::reaction ─┐
//! timer (Jobs) ─► WorkQueue::run_due ─┴► claim (If-Match, lease) ─► Worker ─► done | retry | dead
//! ```
//!
//! Where one worker at a time must process all items of a logical partition, the timer only releases due items into the
//! change feed ([`WorkQueue::release_due`]).
//!
//! Owns claims, leases, attempts and back-off ([`WorkQueue`]); periodic jobs with one leader ([`Jobs`]); `ttl` computed
//! from a fixed expiry ([`Expires`]). Does not own the items: they live in a container of the system, with the property
//! names the system chose, and describe themselves through [`WorkItem`].
//!
//! Guarantees: an item that waits is processed at least once, by one worker at a time as long as it renews its lease; a
//! worker that lost its claim cannot write a result; a crash at any step leaves the item waiting or claimed, never
//! lost. Because an item may be processed twice, what a worker writes elsewhere must have an id derived from the item,
//! so that the second time changes nothing.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use std::time::Duration;
//! use async_trait::async_trait;
//! use client::{Account, PartitionKey, PartitionKeyDefinition, Query, TimestampMs, TravellingClock};
//! use serde::{Deserialize, Serialize};
//! use planisphere_service::work::*;
//!
//! #[derive(Clone, Serialize, Deserialize)]
//! #[serde(rename_all = "camelCase")]
//! struct Mail {
//!     id: String,
//!     user_id: String,
//!     status: String,
//!     retry_count: u32,
//!     created_at: UtcTimestamp,
//!     next_retry_at: Option<UtcTimestamp>,
//!     lease_owner: Option<String>,
//!     lease_until: Option<UtcTimestamp>,
//!     last_error: Option<String>,
//!     ttl: Option<u32>,
//! }
//!
//! // 30 days from creation, however often it is written.
//! impl Expires for Mail {
//!     fn expiry(&mut self) -> Option<Expiry<'_>> {
//!         let at = self.created_at.after(Duration::from_secs(30 * 86_400));
//!         Some(Expiry { ttl: &mut self.ttl, at })
//!     }
//! }
//!
//! impl WorkItem for Mail {
//!     fn id(&self) -> &str {
//!         &self.id
//!     }
//!
//!     fn partition_key(&self) -> PartitionKey {
//!         self.user_id.as_str().into()
//!     }
//!
//!     fn created_at(&self) -> UtcTimestamp {
//!         self.created_at
//!     }
//!
//!     fn state(&self) -> WorkState {
//!         let stage = match (self.status.as_str(), &self.lease_owner, self.lease_until) {
//!             ("PROCESSING", Some(owner), Some(until)) => WorkStage::Claimed { owner: owner.clone(), until },
//!             ("PENDING", ..) => WorkStage::Waiting { due: self.next_retry_at },
//!             ("FAILED", ..) => self.next_retry_at.map_or(WorkStage::Dead, |due| WorkStage::Failed { due }),
//!             _ => WorkStage::Done,
//!         };
//!         WorkState { stage, attempts: self.retry_count, error: self.last_error.clone() }
//!     }
//!
//!     fn set_state(&mut self, state: WorkState) {
//!         (self.lease_owner, self.lease_until, self.next_retry_at) = (None, None, None);
//!         (self.retry_count, self.last_error) = (state.attempts, state.error);
//!         self.status = match state.stage {
//!             WorkStage::Waiting { due } => { self.next_retry_at = due; "PENDING" }
//!             WorkStage::Failed { due } => { self.next_retry_at = Some(due); "FAILED" }
//!             WorkStage::Claimed { owner, until } => {
//!                 (self.lease_owner, self.lease_until) = (Some(owner), Some(until));
//!                 "PROCESSING"
//!             }
//!             WorkStage::Done => "COMPLETED",
//!             WorkStage::Dead => "FAILED",
//!         }.to_owned();
//!     }
//!
//!     fn due(now: UtcTimestamp, _attempts_max: u32) -> Query {
//!         Query::text("SELECT * FROM c WHERE c.status = 'PENDING' \
//!                      OR (c.status = 'FAILED' AND c.nextRetryAt <= @now) \
//!                      OR (c.status = 'PROCESSING' AND c.leaseUntil <= @now) ORDER BY c.createdAt")
//!             .parameter("@now", now.to_string())
//!             .fan_out("due work of all users")
//!     }
//!
//!     fn dead(_attempts_max: u32) -> Query {
//!         Query::text("SELECT * FROM c WHERE c.status = 'FAILED' AND IS_NULL(c.nextRetryAt)")
//!             .fan_out("an operator looks at what failed")
//!     }
//! }
//!
//! struct Sender;
//!
//! #[async_trait]
//! impl Worker<Mail> for Sender {
//!     async fn work(&self, claim: &mut Claim<Mail>) -> Result<WorkCompletion<Mail>, WorkError> {
//!         // ... send claim.document(), with an id derived from its own ...
//!         Ok(WorkCompletion::done().with(|mail: &mut Mail| mail.status = "RATE_LIMITED".to_owned()))
//!     }
//! }
//!
//! let clock = TravellingClock::starting_at(TimestampMs(1_800_000_000_000));
//! let account = Account::simulated(&clock, 1).await?;
//! let database = account.database("asora")?;
//! database.create_if_missing(None).await?;
//! let mails = database.container("mails")?;
//! mails.create_if_missing(mails.properties(PartitionKeyDefinition::single("/userId")?), None).await?;
//! let leases = database.container("leases")?;
//! leases.create_if_missing(leases.properties(PartitionKeyDefinition::single("/id")?), None).await?;
//!
//! let queue = WorkQueue::new(&mails, QueueSettings::default(), Sender);
//! // New items, as they are written:
//! let feed = client::processor::Processor::<Mail>::builder(&mails, &leases, "mails");
//! let feed = feed.start_at(client::processor::ProcessorStart::Beginning).build(queue.reaction()).await?;
//! // Retries and expired leases, every minute, on one of all instances:
//! let due = queue.clone();
//! let jobs = Jobs::new(&leases, JobsSettings::default()).with(
//!     PeriodicJob::every("due mails", Duration::from_secs(60)),
//!     move |_run: JobRun| { let due = due.clone(); async move { due.run_due().await?; Ok(()) } },
//! );
//!
//! let now = UtcTimestamp::now(mails.account().environment());
//! let mail = Mail { id: "1".into(), user_id: "bob".into(), status: "PENDING".into(), retry_count: 0, created_at: now,
//!     next_retry_at: None, lease_owner: None, lease_until: None, last_error: None, ttl: None };
//! queue.enqueue(mail).await?;
//! feed.run_once().await?; // or feed.start()
//! jobs.run_due().await?;  // or jobs.start()
//! let done = mails.read::<Mail>(&"bob".into(), "1").await?.value.value;
//! assert_eq!(done.status, "RATE_LIMITED");
//! assert_eq!(jobs.status().await?[0].runs, 1);
//! # account.close().await
//! # }).unwrap();
//! ```

mod backoff;
mod claim;
mod completion;
mod due;
mod expiry;
mod jobs;
mod queue;
mod reaction;
mod state;
mod worker;

pub use crate::timestamp::UtcTimestamp;
pub use backoff::Backoff;
pub use claim::Claim;
pub use due::ReleaseCounts;
pub use expiry::{Expires, ExpiringContainer, Expiry, refresh_ttl, ttl_seconds};
pub use jobs::{JobFailure, JobRun, JobStatus, Jobs, JobsSettings, PeriodicJob};
pub use queue::{QueueRun, QueueSettings, ReplayResult, WorkQueue, WorkResult};
pub use reaction::QueueReaction;
pub use state::{WorkItem, WorkStage, WorkState};
pub use worker::{ClaimSummary, WorkCompletion, WorkError, Worker};
