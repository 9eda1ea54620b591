//! The work items of these tests: mails, and the worker that sends them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use client::{Container, ErrorKind, PartitionKey, Query};
use serde::{Deserialize, Serialize};
use service::work::{
    Claim, Expires, Expiry, QueueSettings, UtcTimestamp, WorkCompletion, WorkError, WorkItem,
    WorkQueue, WorkStage, WorkState, Worker,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mail {
    pub(crate) id: String,
    pub(crate) user_id: String,
    pub(crate) status: String,
    pub(crate) retry_count: u32,
    pub(crate) created_at: UtcTimestamp,
    pub(crate) next_retry_at: Option<UtcTimestamp>,
    pub(crate) lease_owner: Option<String>,
    pub(crate) lease_until: Option<UtcTimestamp>,
    pub(crate) last_error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ttl: Option<u32>,
}

pub(crate) const RETENTION: Duration = Duration::from_secs(30 * 86_400);

impl Expires for Mail {
    fn expiry(&mut self) -> Option<Expiry<'_>> {
        let at = self.created_at.after(RETENTION);
        Some(Expiry { ttl: &mut self.ttl, at })
    }
}

impl WorkItem for Mail {
    fn id(&self) -> &str {
        &self.id
    }

    fn partition_key(&self) -> PartitionKey {
        self.user_id.as_str().into()
    }

    fn created_at(&self) -> UtcTimestamp {
        self.created_at
    }

    fn state(&self) -> WorkState {
        let stage = match (self.status.as_str(), &self.lease_owner, self.lease_until) {
            ("PROCESSING", Some(owner), Some(until)) => {
                WorkStage::Claimed { owner: owner.clone(), until }
            }
            ("PENDING", ..) => WorkStage::Waiting { due: self.next_retry_at },
            ("FAILED", ..) => {
                self.next_retry_at.map_or(WorkStage::Dead, |due| WorkStage::Failed { due })
            }
            _ => WorkStage::Done,
        };
        WorkState { stage, attempts: self.retry_count, error: self.last_error.clone() }
    }

    fn set_state(&mut self, state: WorkState) {
        (self.lease_owner, self.lease_until, self.next_retry_at) = (None, None, None);
        (self.retry_count, self.last_error) = (state.attempts, state.error);
        self.status = match state.stage {
            WorkStage::Waiting { due } => {
                self.next_retry_at = due;
                "PENDING"
            }
            WorkStage::Failed { due } => {
                self.next_retry_at = Some(due);
                "FAILED"
            }
            WorkStage::Claimed { owner, until } => {
                (self.lease_owner, self.lease_until) = (Some(owner), Some(until));
                "PROCESSING"
            }
            WorkStage::Done => "COMPLETED",
            WorkStage::Dead => "FAILED",
        }
        .to_owned();
    }

    fn due(now: UtcTimestamp, _: u32) -> Query {
        Query::text(
            "SELECT * FROM c WHERE c.status = 'PENDING' \
             OR (c.status = 'FAILED' AND c.nextRetryAt <= @now) \
             OR (c.status = 'PROCESSING' AND c.leaseUntil <= @now) ORDER BY c.createdAt",
        )
        .parameter("@now", now.to_string())
        .fan_out("due work of all users")
    }

    fn dead(_: u32) -> Query {
        Query::text("SELECT * FROM c WHERE c.status = 'FAILED' AND IS_NULL(c.nextRetryAt)")
            .fan_out("an operator looks at what failed")
    }
}

pub(crate) fn mail(id: &str, user: &str, created_at: UtcTimestamp) -> Mail {
    Mail {
        id: id.to_owned(),
        user_id: user.to_owned(),
        status: "PENDING".to_owned(),
        retry_count: 0,
        created_at,
        next_retry_at: None,
        lease_owner: None,
        lease_until: None,
        last_error: None,
        ttl: None,
    }
}

/// A letter that was sent: the effect of a mail.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Letter {
    id: String,
    user_id: String,
}

/// Sends mails: writes a letter under the id of the mail. What to answer first is planned per mail.
#[derive(Clone)]
pub(crate) struct Sender {
    letters: Container,
    plans: Arc<Mutex<BTreeMap<String, Vec<WorkError>>>>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Sender {
    pub(crate) fn new(letters: &Container) -> Self {
        Self { letters: letters.clone(), plans: Arc::default(), calls: Arc::default() }
    }

    /// The next attempt at this mail ends so, after those planned before.
    pub(crate) fn fail(&self, id: &str, error: WorkError) {
        self.plans.lock().unwrap().entry(id.to_owned()).or_default().push(error);
    }

    /// Ids of the mails it was called with, in their order.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    fn planned(&self, id: &str) -> Option<WorkError> {
        let mut plans = self.plans.lock().unwrap();
        let plan = plans.get_mut(id)?;
        (!plan.is_empty()).then(|| plan.remove(0))
    }
}

#[async_trait]
impl Worker<Mail> for Sender {
    async fn work(&self, claim: &mut Claim<Mail>) -> Result<WorkCompletion<Mail>, WorkError> {
        let mail = claim.document().clone();
        self.calls.lock().unwrap().push(mail.id.clone());
        if let Some(error) = self.planned(&mail.id) {
            return Err(error);
        }
        let letter = Letter { id: mail.id.clone(), user_id: mail.user_id.clone() };
        match self.letters.create(&mail.partition_key(), &letter).await {
            Err(error) if error.kind() != ErrorKind::Conflict => return Err(error.into()),
            _ => {}
        }
        Ok(WorkCompletion::done())
    }
}

pub(crate) fn settings(instance: &str) -> QueueSettings {
    QueueSettings { instance: instance.to_owned(), ..QueueSettings::default() }
}

pub(crate) fn queue(mails: &Container, instance: &str, sender: &Sender) -> WorkQueue<Mail> {
    WorkQueue::new(mails, settings(instance), sender.clone())
}

pub(crate) async fn read(mails: &Container, user: &str, id: &str) -> Mail {
    mails.read::<Mail>(&user.into(), id).await.unwrap().value.value
}

/// Ids of all letters.
pub(crate) async fn letters(container: &Container) -> Vec<String> {
    let query = Query::text("SELECT VALUE c.id FROM c").fan_out("the test counts all letters");
    let mut ids = container.query::<String>(&query).await.unwrap().value;
    ids.sort();
    ids
}
