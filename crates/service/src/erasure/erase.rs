//! Erasing a subject: one step after the other, each recorded before the next.
//!
//! Owns the loop over the steps. Repeating a step after a crash is harmless: a recorded count is kept, and deleting
//! items that are gone does nothing.

use std::fmt::Write as _;
use std::sync::Arc;

use client::{Container, ErrorKind, Item, PartitionKey};
use ring::hmac;

use super::certificate::{ErasureCertificate, ErasureProgress, ErasureStage};
use super::error::ErasureError;
use super::export::SubjectExport;
use super::subject_container::SubjectContainer;
use crate::work::UtcTimestamp;

/// How many times items may be found again before the erasure fails.
const ROUNDS_MAX: u32 = 10;

type ErasureResult<T> = Result<T, ErasureError>;

/// All containers in which a system stores items of subjects. Clones share them.
#[derive(Clone, Debug)]
pub struct Erasure {
    records: Container,
    key: hmac::Key,
    registered: Vec<Arc<SubjectContainer>>,
}

impl Erasure {
    /// No containers yet. Progress and certificates are stored in `records`, which must have the partition key `/id`.
    /// Subjects are identified there by a hash with this secret key; with another key, earlier records are not found.
    #[must_use]
    pub fn new(records: &Container, key: &[u8]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        Self { records: records.clone(), key, registered: Vec::new() }
    }

    /// Adds a container. They are erased in this order: add first those from which others are filled, so that nothing
    /// is written again behind the erasure.
    #[must_use]
    pub fn with(mut self, registration: SubjectContainer) -> Self {
        self.registered.push(Arc::new(registration));
        self
    }

    /// The keyed hash of a subject, for certificates and logs.
    #[must_use]
    pub fn subject_hash(&self, subject: &str) -> String {
        // Keyed: a plain hash of an email address can be found by trying all addresses.
        let tag = hmac::sign(&self.key, subject.as_bytes());
        tag.as_ref().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Erases every item of a subject and proves it by counting. Called again after a failure, it continues; called
    /// again after the end, it counts, and returns the same certificate if there are still no items.
    ///
    /// # Errors
    /// `Data` if a call failed; `StillWritten` if items were found again in every round.
    pub async fn erase(&self, subject: &str) -> ErasureResult<ErasureCertificate> {
        loop {
            let progress = self.read_or_create(subject).await?;
            if let Some(certificate) = self.advance(subject, progress).await? {
                return Ok(certificate);
            }
        }
    }

    /// The certificate of a subject; `None` if it was never erased, or its erasure is not finished.
    ///
    /// # Errors
    /// `Data` when the read failed.
    pub async fn certificate(&self, subject: &str) -> ErasureResult<Option<ErasureCertificate>> {
        Ok(self.read(subject).await?.and_then(|progress| progress.value.certificate()))
    }

    /// Exports everything a system stores about a subject, as lines of JSON, page by page.
    #[must_use]
    pub fn export(&self, subject: &str) -> SubjectExport {
        SubjectExport::new(self.registered.clone(), subject)
    }

    /// Does the next step and records it. Returns the certificate after the last one.
    async fn advance(
        &self,
        subject: &str,
        mut item: Item<ErasureProgress>,
    ) -> ErasureResult<Option<ErasureCertificate>> {
        let progress = &mut item.value;
        if let Some(certificate) = progress.certificate() {
            if self.first_remaining(subject).await?.is_none() {
                return Ok(Some(certificate));
            }
            progress
                .restart(&self.names(), UtcTimestamp::now(self.records.account().environment()));
            return self.write(&item).await;
        }
        progress.update_containers(&self.names());
        for registration in &self.registered {
            let name = registration.name();
            let Some(step) = progress.steps.iter_mut().find(|step| step.name == name) else {
                continue;
            };
            match step.stage {
                ErasureStage::Waiting => {
                    step.found = registration.count(subject).await?;
                    step.stage = ErasureStage::Counted;
                }
                ErasureStage::Counted => {
                    registration.delete(subject).await?;
                    step.stage = ErasureStage::Erased;
                }
                ErasureStage::Erased => continue,
            }
            return self.write(&item).await;
        }
        // Count all containers once more: an item may have been written to one after it was erased.
        match self.first_remaining(subject).await? {
            Some((container, remaining)) if progress.rounds >= ROUNDS_MAX => {
                return Err(ErasureError::StillWritten { container, remaining });
            }
            Some((name, remaining)) => progress.start_round(&name, remaining),
            None => progress.finish(UtcTimestamp::now(self.records.account().environment())),
        }
        self.write(&item).await
    }

    /// The first container that contains items of the subject, and their number.
    async fn first_remaining(&self, subject: &str) -> ErasureResult<Option<(String, u64)>> {
        for registration in &self.registered {
            let count = registration.count(subject).await?;
            if count > 0 {
                return Ok(Some((registration.name().to_owned(), count)));
            }
        }
        Ok(None)
    }

    /// The progress of a subject; a new one if there is none.
    async fn read_or_create(&self, subject: &str) -> ErasureResult<Item<ErasureProgress>> {
        if let Some(item) = self.read(subject).await? {
            return Ok(item);
        }
        let (hash, now) =
            (self.subject_hash(subject), UtcTimestamp::now(self.records.account().environment()));
        let progress = ErasureProgress::new(item_id(&hash), hash, &self.names(), now);
        match self.records.create(&PartitionKey::from(progress.id.as_str()), &progress).await {
            Ok(created) => Ok(created.value),
            // Another instance has just created it. Both then work on the same record, and etags keep them apart.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let key = PartitionKey::from(progress.id.as_str());
                Ok(self.records.read(&key, &progress.id).await?.value)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn read(&self, subject: &str) -> ErasureResult<Option<Item<ErasureProgress>>> {
        let id = item_id(&self.subject_hash(subject));
        match self.records.read(&PartitionKey::from(id.as_str()), &id).await {
            Ok(read) => Ok(Some(read.value)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Records a step. If another instance erases the same subject and was faster, its record counts. Returns the
    /// certificate if this was the last step.
    async fn write(
        &self,
        item: &Item<ErasureProgress>,
    ) -> ErasureResult<Option<ErasureCertificate>> {
        match self.records.save(&PartitionKey::from(item.value.id.as_str()), item).await {
            Ok(saved) => Ok(saved.value.value.certificate()),
            // `None` makes the loop read the record again and go on from the other's step.
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
