//! Erasing a subject: one step after the other, each written before the next.
//!
//! Owns the loop over steps. A step that is repeated after a crash changes nothing: counts are kept once written, and
//! deleting what is gone does nothing.

use std::fmt::Write as _;
use std::sync::Arc;

use client::{Container, ErrorKind, Item, PartitionKey};
use ring::hmac;

use super::certificate::{Certificate, Progress, StepStage};
use super::error::ErasureError;
use super::export::Export;
use super::registration::Registration;
use crate::work::Moment;

/// How often items may come back before the erasure gives up.
const ROUNDS_MAX: u32 = 10;

type Result<T> = std::result::Result<T, ErasureError>;

/// All containers in which a system keeps items of subjects. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Erasure {
    records: Container,
    key: hmac::Key,
    registered: Vec<Arc<Registration>>,
}

impl Erasure {
    /// No containers yet. Progress and certificates are kept in `records`, which has the partition key `/id`; subjects
    /// are named there by a hash with this secret key, which must stay the same.
    #[must_use]
    pub fn new(records: &Container, key: &[u8]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        Self { records: records.clone(), key, registered: Vec::new() }
    }

    /// Adds a container. They are erased in the order they were added: first those from which others are filled.
    #[must_use]
    pub fn with(mut self, registration: Registration) -> Self {
        self.registered.push(Arc::new(registration));
        self
    }

    /// The name of a subject where its own must not stand: in certificates and logs.
    #[must_use]
    pub fn subject_hash(&self, subject: &str) -> String {
        let tag = hmac::sign(&self.key, subject.as_bytes());
        tag.as_ref().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Erases every item of a subject and proves it by counting. Called again, it goes on where it was; called after
    /// the end, it counts, and gives the same certificate if nothing came back.
    ///
    /// # Errors
    /// `Data` when a call failed; `StillWritten` when items came back in every round.
    pub async fn erase(&self, subject: &str) -> Result<Certificate> {
        loop {
            let progress = self.open(subject).await?;
            if let Some(certificate) = self.advance(subject, progress).await? {
                return Ok(certificate);
            }
        }
    }

    /// The certificate of a subject; none when it was never erased, or is being erased.
    ///
    /// # Errors
    /// `Data` when the read failed.
    pub async fn certificate(&self, subject: &str) -> Result<Option<Certificate>> {
        Ok(self.read(subject).await?.and_then(|progress| progress.value.certificate()))
    }

    /// Everything a system keeps about a subject, as lines of JSON, page by page.
    #[must_use]
    pub fn export(&self, subject: &str) -> Export {
        Export::new(self.registered.clone(), subject)
    }

    /// Does the next step and writes it; none when there are more.
    async fn advance(
        &self,
        subject: &str,
        mut item: Item<Progress>,
    ) -> Result<Option<Certificate>> {
        let progress = &mut item.value;
        if let Some(certificate) = progress.certificate() {
            if self.first_remaining(subject).await?.is_none() {
                return Ok(Some(certificate));
            }
            progress.restart(&self.names(), Moment::now(self.records.account().environment()));
            return self.write(&item).await;
        }
        progress.follow(&self.names());
        for registration in &self.registered {
            let name = registration.name();
            let Some(step) = progress.steps.iter_mut().find(|step| step.name == name) else {
                continue;
            };
            match step.stage {
                StepStage::Waiting => {
                    step.found = registration.count(subject).await?;
                    step.stage = StepStage::Counted;
                }
                StepStage::Counted => {
                    registration.delete(subject).await?;
                    step.stage = StepStage::Erased;
                }
                StepStage::Erased => continue,
            }
            return self.write(&item).await;
        }
        match self.first_remaining(subject).await? {
            Some((container, remaining)) if progress.rounds >= ROUNDS_MAX => {
                return Err(ErasureError::StillWritten { container, remaining });
            }
            Some((name, remaining)) => progress.go_round(&name, remaining),
            None => progress.finish(Moment::now(self.records.account().environment())),
        }
        self.write(&item).await
    }

    /// The first container that has items of the subject, and how many.
    async fn first_remaining(&self, subject: &str) -> Result<Option<(String, u64)>> {
        for registration in &self.registered {
            let count = registration.count(subject).await?;
            if count > 0 {
                return Ok(Some((registration.name().to_owned(), count)));
            }
        }
        Ok(None)
    }

    /// The progress of a subject, begun if there is none.
    async fn open(&self, subject: &str) -> Result<Item<Progress>> {
        if let Some(item) = self.read(subject).await? {
            return Ok(item);
        }
        let (hash, now) =
            (self.subject_hash(subject), Moment::now(self.records.account().environment()));
        let progress = Progress::new(item_id(&hash), hash, &self.names(), now);
        match self.records.create(&PartitionKey::from(progress.id.as_str()), &progress).await {
            Ok(created) => Ok(created.value),
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let key = PartitionKey::from(progress.id.as_str());
                Ok(self.records.read(&key, &progress.id).await?.value)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn read(&self, subject: &str) -> Result<Option<Item<Progress>>> {
        let id = item_id(&self.subject_hash(subject));
        match self.records.read(&PartitionKey::from(id.as_str()), &id).await {
            Ok(read) => Ok(Some(read.value)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a step if nobody else did; otherwise theirs counts. The certificate, if that was the last.
    async fn write(&self, item: &Item<Progress>) -> Result<Option<Certificate>> {
        match self.records.save(&PartitionKey::from(item.value.id.as_str()), item).await {
            Ok(saved) => Ok(saved.value.value.certificate()),
            Err(error) if error.kind() == ErrorKind::Precondition => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn names(&self) -> Vec<&str> {
        self.registered.iter().map(|registration| registration.name()).collect()
    }
}

fn item_id(subject_hash: &str) -> String {
    format!("erasure..{subject_hash}")
}
