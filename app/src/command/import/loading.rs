//! The loop of an import: some records are read, written side by side, and then the position is kept.

use service::copy::Transform as _;

use super::position::{Position, PositionFile};
use super::records::Records;
use super::target::{Bad, Target};
use crate::failure::Failure;
use crate::transform::Assignments;

/// Records between two positions; also what a stopped import repeats.
const RECORDS_AT_ONCE: usize = 512;
/// How many bad lines are named; all are counted.
const NAMED_MAX: usize = 20;

/// An import under way.
pub(super) struct Loading<'import> {
    pub(super) target: &'import Target,
    pub(super) transform: &'import Assignments,
    pub(super) on_bad: OnBad,
    pub(super) file: Option<PositionFile>,
}

/// What happens to bad lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnBad {
    Stop,
    Skip,
}

/// What an import did.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) imported: u64,
    /// The records an earlier run had done.
    pub(super) resumed_at: u64,
    pub(super) bad: u64,
    /// The first bad lines of this run.
    pub(super) first: Vec<Bad>,
}

impl Loading<'_> {
    /// Reads to the end, from the position on.
    pub(super) async fn run(
        &self,
        records: &mut dyn Records,
        mut at: Position,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Loaded, Failure> {
        let mut loaded = Loaded { resumed_at: at.records, bad: at.bad, ..Loaded::default() };
        for _ in 0..at.records {
            self.record(records)?;
        }
        loop {
            let (mut items, mut bad, mut is_last) = (Vec::new(), Vec::new(), false);
            let mut count = 0;
            while count < RECORDS_AT_ONCE as u64 && bad_is_fine(self.on_bad, &bad) {
                let Some(record) = self.record(records)? else {
                    is_last = true;
                    break;
                };
                count += 1;
                match record.content.and_then(|item| self.transform.apply(item)) {
                    Ok(item) => items.push((record.line, item)),
                    Err(why) => bad.push(Bad { line: record.line, why }),
                }
            }
            let written = items.len() as u64;
            let refused = self.target.write(items).await?;
            loaded.imported += written - refused.len() as u64;
            bad.extend(refused);
            bad.sort_by_key(|bad| bad.line);
            if let (OnBad::Stop, Some(first)) = (self.on_bad, bad.first()) {
                return Err(self.stopped(first));
            }
            loaded.bad += bad.len() as u64;
            let room = NAMED_MAX.saturating_sub(loaded.first.len());
            loaded.first.extend(bad.into_iter().take(room));
            (at.records, at.bad) = (at.records + count, loaded.bad);
            progress(loaded.imported);
            if is_last {
                if let Some(file) = &self.file {
                    file.remove();
                }
                return Ok(loaded);
            }
            if let Some(file) = &self.file {
                file.keep(&at)?;
            }
        }
    }

    fn record(&self, records: &mut dyn Records) -> Result<Option<super::records::Record>, Failure> {
        records.next().map_err(|why| {
            Failure::new("reading the input", why)
                .way_out("correct the file, or choose its --format")
        })
    }

    fn stopped(&self, bad: &Bad) -> Failure {
        Failure::new(
            format!("importing into {}", self.target.path()),
            format!("line {} {}", bad.line, bad.why),
        )
        .way_out(
            "correct the line and run the import again, or leave out such lines with --skip-bad",
        )
    }
}

fn bad_is_fine(on_bad: OnBad, bad: &[Bad]) -> bool {
    on_bad == OnBad::Skip || bad.is_empty()
}
