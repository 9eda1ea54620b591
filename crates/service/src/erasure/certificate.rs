//! The record of an erasure: its progress, and its certificate once it is finished.
//!
//! Owns the format of the item and its transitions. The record identifies the subject by a keyed hash and contains
//! nothing else about it: a record in clear text would itself be personal data that outlives the erasure.

use serde::{Deserialize, Serialize};

use crate::work::UtcTimestamp;

/// The proof of an erasure: what was found, and that nothing remains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasureCertificate {
    /// The keyed hash of the subject, in hexadecimal digits.
    pub subject_hash: String,
    /// Number of this erasure: 1 for the first, more if the subject returned and was erased again.
    pub erasure: u64,
    /// When it started.
    pub started_at: UtcTimestamp,
    /// When every container was counted and contained no items of the subject.
    pub finished_at: UtcTimestamp,
    /// Every registered container.
    pub containers: Vec<ErasedContainer>,
}

/// What an erasure did in one container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasedContainer {
    /// The name it was registered with.
    pub name: String,
    /// Number of items found, including those written during the erasure.
    pub found: u64,
    /// Number of items counted at the end: zero.
    pub remaining: u64,
}

/// The progress of an erasure, as its item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErasureProgress {
    pub(super) id: String,
    subject_hash: String,
    erasure: u64,
    started_at: UtcTimestamp,
    finished_at: Option<UtcTimestamp>,
    pub(super) steps: Vec<ContainerErasure>,
    /// How often items were found again after everything was deleted.
    pub(super) rounds: u32,
}

/// The progress in one container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContainerErasure {
    pub(super) name: String,
    pub(super) found: u64,
    pub(super) stage: ErasureStage,
}

/// The progress in one container. It is written before the next step begins, so a crash repeats one step at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ErasureStage {
    /// Nothing was done.
    Waiting,
    /// Its items were counted, and some may have been deleted. The count is not repeated after a crash: it would miss
    /// those.
    Counted,
    /// Its items were deleted.
    Erased,
}

impl ErasureProgress {
    pub(super) fn new(id: String, hash: String, names: &[&str], now: UtcTimestamp) -> Self {
        let mut progress = Self {
            id,
            subject_hash: hash,
            erasure: 0,
            started_at: now,
            finished_at: None,
            steps: Vec::new(),
            rounds: 0,
        };
        progress.restart(names, now);
        progress
    }

    /// Starts an erasure of these containers.
    pub(super) fn restart(&mut self, names: &[&str], now: UtcTimestamp) {
        self.erasure += 1;
        self.started_at = now;
        self.finished_at = None;
        self.rounds = 0;
        self.steps = names.iter().map(|name| ContainerErasure::new(name)).collect();
    }

    /// Adapts to a changed list of containers: new ones are erased too; removed ones stay in the certificate only if
    /// they were erased already.
    pub(super) fn update_containers(&mut self, names: &[&str]) {
        let is_kept = |step: &ContainerErasure| {
            // An erased container stays in the proof even if the system no longer registers it.
            step.stage == ErasureStage::Erased || names.contains(&step.name.as_str())
        };
        self.steps.retain(is_kept);
        for name in names {
            if self.steps.iter().all(|step| step.name != *name) {
                self.steps.push(ContainerErasure::new(name));
            }
        }
    }

    /// Items were found again after they were deleted: counts them and starts another round.
    pub(super) fn start_round(&mut self, name: &str, late: u64) {
        self.rounds += 1;
        for step in self.steps.iter_mut().filter(|step| step.name == name) {
            step.found += late;
            // Not `Waiting`: its count is known and would be overwritten.
            step.stage = ErasureStage::Counted;
        }
    }

    pub(super) fn finish(&mut self, now: UtcTimestamp) {
        self.finished_at = Some(now);
    }

    /// The certificate; `None` before the end.
    pub(super) fn certificate(&self) -> Option<ErasureCertificate> {
        let container = |step: &ContainerErasure| ErasedContainer {
            name: step.name.clone(),
            found: step.found,
            // Only a finished erasure has a certificate, and it finishes only if all counts are zero.
            remaining: 0,
        };
        Some(ErasureCertificate {
            subject_hash: self.subject_hash.clone(),
            erasure: self.erasure,
            started_at: self.started_at,
            finished_at: self.finished_at?,
            containers: self.steps.iter().map(container).collect(),
        })
    }
}

impl ContainerErasure {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), found: 0, stage: ErasureStage::Waiting }
    }
}
