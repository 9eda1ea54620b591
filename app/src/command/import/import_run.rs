//! The loop of an import: reads records, writes them concurrently, then saves the position.

use service::copy::Transform as _;

use super::position::{ImportPosition, PositionFile};
use super::records::RecordReader;
use super::target::{BadLine, ImportTarget};
use crate::error::CommandError;
use crate::transform::PropertyTransforms;

/// Records between two saved positions; an interrupted import repeats at most these.
const RECORDS_PER_BATCH: usize = 512;
/// How many bad lines are listed; all are counted.
const LISTED_MAX: usize = 20;

/// A running import.
pub(super) struct ImportRun<'import> {
    pub(super) target: &'import ImportTarget,
    pub(super) transform: &'import PropertyTransforms,
    pub(super) bad_lines: BadLinePolicy,
    pub(super) file: Option<PositionFile>,
}

/// What to do about bad lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadLinePolicy {
    Stop,
    Skip,
}

/// The result of an import.
#[derive(Debug, Default)]
pub(super) struct ImportSummary {
    pub(super) imported: u64,
    /// Number of records that an earlier run had imported.
    pub(super) resumed_at: u64,
    pub(super) bad: u64,
    /// The first bad lines of this run.
    pub(super) first: Vec<BadLine>,
}

impl ImportRun<'_> {
    /// Reads all records from the position on.
    pub(super) async fn run(
        &self,
        records: &mut dyn RecordReader,
        mut at: ImportPosition,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<ImportSummary, CommandError> {
        let mut summary =
            ImportSummary { resumed_at: at.records, bad: at.bad, ..ImportSummary::default() };
        for _ in 0..at.records {
            self.record(records)?;
        }
        loop {
            let (mut items, mut bad, mut is_last) = (Vec::new(), Vec::new(), false);
            let mut count = 0;
            while count < RECORDS_PER_BATCH as u64 && may_continue(self.bad_lines, &bad) {
                let Some(record) = self.record(records)? else {
                    is_last = true;
                    break;
                };
                count += 1;
                match record.content.and_then(|item| self.transform.apply(item)) {
                    Ok(item) => items.push((record.line, item)),
                    Err(why) => bad.push(BadLine { line: record.line, why }),
                }
            }
            let written = items.len() as u64;
            let refused = self.target.write(items).await?;
            summary.imported += written - refused.len() as u64;
            bad.extend(refused);
            bad.sort_by_key(|bad| bad.line);
            if let (BadLinePolicy::Stop, Some(first)) = (self.bad_lines, bad.first()) {
                return Err(self.stopped(first));
            }
            summary.bad += bad.len() as u64;
            let room = LISTED_MAX.saturating_sub(summary.first.len());
            summary.first.extend(bad.into_iter().take(room));
            (at.records, at.bad) = (at.records + count, summary.bad);
            progress(summary.imported);
            if is_last {
                if let Some(file) = &self.file {
                    file.remove();
                }
                return Ok(summary);
            }
            if let Some(file) = &self.file {
                file.save(&at)?;
            }
        }
    }

    fn record(
        &self,
        records: &mut dyn RecordReader,
    ) -> Result<Option<super::records::ImportRecord>, CommandError> {
        records.next().map_err(|why| {
            CommandError::new("reading the input", why)
                .hint("correct the file, or choose its --format")
        })
    }

    fn stopped(&self, bad: &BadLine) -> CommandError {
        CommandError::new(
            format!("importing into {}", self.target.path()),
            format!("line {} {}", bad.line, bad.why),
        )
        .hint("correct the line and run the import again, or leave out bad lines with --skip-bad")
    }
}

fn may_continue(bad_lines: BadLinePolicy, bad: &[BadLine]) -> bool {
    bad_lines == BadLinePolicy::Skip || bad.is_empty()
}
