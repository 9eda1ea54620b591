//! The result of a verification.
//!
//! Owns the plain data of the report and its bound: a broken store may have millions of contradictions, a person reads
//! the first ones.

use model::Lsn;

use crate::operation::ContainerLink;

/// Findings kept with their text; further ones are only counted.
const FINDINGS_KEPT: usize = 200;

/// One contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The container, or none for the catalog.
    pub container: Option<ContainerLink>,
    /// The physical partition.
    pub partition: Option<u32>,
    /// What contradicts what.
    pub text: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.container, self.partition) {
            (Some(container), Some(partition)) => {
                write!(formatter, "{container}, physical partition {partition}: {}", self.text)
            }
            (Some(container), None) => write!(formatter, "{container}: {}", self.text),
            _ => write!(formatter, "catalog: {}", self.text),
        }
    }
}

/// What one physical partition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionReport {
    /// Its container.
    pub container: ContainerLink,
    /// Its number.
    pub partition: u32,
    /// Items.
    pub items: u64,
    /// Bytes of their JSON text.
    pub item_bytes: u64,
    /// Index terms.
    pub terms: u64,
    /// Superseded versions and deletions.
    pub versions: u64,
    /// Newest lsn.
    pub lsn: Lsn,
}

/// Progress of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyProgress {
    /// Items checked so far.
    pub items_done: u64,
    /// Items there are, by the counters.
    pub items_all: u64,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Every partition that was verified.
    pub partitions: Vec<PartitionReport>,
    /// The first findings.
    pub findings: Vec<Finding>,
    /// All findings.
    pub findings_count: u64,
}

impl VerifyReport {
    /// Whether there are no findings.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        self.findings_count == 0
    }

    pub(crate) fn find(
        &mut self,
        container: Option<&ContainerLink>,
        partition: Option<u32>,
        text: impl Into<String>,
    ) {
        self.findings_count += 1;
        if self.findings.len() < FINDINGS_KEPT {
            let container = container.cloned();
            self.findings.push(Finding { container, partition, text: text.into() });
        }
    }
}
