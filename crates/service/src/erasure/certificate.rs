//! The record of an erasure: its progress, and its certificate once it is finished.
//!
//! Owns the form of the item and which step comes next. It names the subject by a keyed hash and holds nothing else
//! about it.

use serde::{Deserialize, Serialize};

use crate::work::Moment;

/// The proof of an erasure: what was found, and that nothing remains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Certificate {
    /// Keyed hash of the subject, in hexadecimal digits.
    pub subject_hash: String,
    /// The first erasure of this subject is 1; later ones follow when it came back.
    pub erasure: u64,
    /// When it began.
    pub started_at: Moment,
    /// When every container was counted and had none.
    pub finished_at: Moment,
    /// Every registered container.
    pub containers: Vec<ErasedContainer>,
}

/// What an erasure did in one container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasedContainer {
    /// The name it was registered by.
    pub name: String,
    /// Items found, late ones included.
    pub found: u64,
    /// Items counted at the end: none.
    pub remaining: u64,
}

/// The progress of an erasure, as its item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress {
    pub(super) id: String,
    subject_hash: String,
    erasure: u64,
    started_at: Moment,
    finished_at: Option<Moment>,
    pub(super) steps: Vec<Step>,
    /// How often all was deleted and some was there again.
    pub(super) rounds: u32,
}

/// The progress in one container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) found: u64,
    pub(super) stage: StepStage,
}

/// What is known to be done in one container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum StepStage {
    /// Nothing.
    Waiting,
    /// Its items are counted, and some may be deleted.
    Counted,
    /// Its items are deleted.
    Erased,
}

impl Progress {
    pub(super) fn new(id: String, hash: String, names: &[&str], now: Moment) -> Self {
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

    /// Begins an erasure of these containers.
    pub(super) fn restart(&mut self, names: &[&str], now: Moment) {
        self.erasure += 1;
        self.started_at = now;
        self.finished_at = None;
        self.rounds = 0;
        self.steps = names.iter().map(|name| Step::new(name)).collect();
    }

    /// Containers registered since the erasure began are erased too; those no longer registered stay only if they were
    /// erased while they were.
    pub(super) fn follow(&mut self, names: &[&str]) {
        let is_kept =
            |step: &Step| step.stage == StepStage::Erased || names.contains(&step.name.as_str());
        self.steps.retain(is_kept);
        for name in names {
            if self.steps.iter().all(|step| step.name != *name) {
                self.steps.push(Step::new(name));
            }
        }
    }

    /// Items came back after they were deleted: they are found too, and deleted again.
    pub(super) fn go_round(&mut self, name: &str, late: u64) {
        self.rounds += 1;
        for step in self.steps.iter_mut().filter(|step| step.name == name) {
            step.found += late;
            step.stage = StepStage::Counted;
        }
    }

    pub(super) fn finish(&mut self, now: Moment) {
        self.finished_at = Some(now);
    }

    /// The certificate; none before the end.
    pub(super) fn certificate(&self) -> Option<Certificate> {
        let container = |step: &Step| ErasedContainer {
            name: step.name.clone(),
            found: step.found,
            remaining: 0,
        };
        Some(Certificate {
            subject_hash: self.subject_hash.clone(),
            erasure: self.erasure,
            started_at: self.started_at,
            finished_at: self.finished_at?,
            containers: self.steps.iter().map(container).collect(),
        })
    }
}

impl Step {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), found: 0, stage: StepStage::Waiting }
    }
}
