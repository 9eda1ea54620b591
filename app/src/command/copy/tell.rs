//! What a copy says: its end, its differences, and why it could not be carried out.

use std::path::Path;

use service::copy::{
    CopyError, CopySummary, CopyVerification, Difference, DifferenceKind, RejectedItems,
};

use crate::failure::Failure;
use crate::output::{line, thousands};

pub(super) fn copied(copied: &CopySummary, from: &str, to: &str) -> Result<(), Failure> {
    let resumed = if copied.is_resumed { ", going on where the last run stopped" } else { "" };
    line(format_args!(
        "copied {} items of {from} to {to} for {:.1} RU{resumed}",
        thousands(copied.copied),
        copied.request_units
    ))?;
    if copied.deleted > 0 {
        let deleted = thousands(copied.deleted);
        line(format_args!("deleted {deleted} items that were deleted in the source"))?;
    }
    if copied.unplaced > 0 || copied.has_missed_deletions {
        line(
            "some deletions in the source were not heard; --verify --delete-extra removes what is left",
        )?;
    }
    if copied.refused.count > 0 {
        let (first, rest) = split(&copied.refused);
        line(format_args!("left out: {first}{rest}"))?;
    } else if copied.rejected_total > 0 {
        line(format_args!("earlier runs left out {} items", thousands(copied.rejected_total)))?;
    }
    Ok(())
}

pub(super) fn verification(found: &CopyVerification) -> Result<(), Failure> {
    if found.deleted > 0 {
        line(format_args!(
            "deleted {} items that the source does not hold",
            thousands(found.deleted)
        ))?;
    }
    if found.refused > 0 {
        line(format_args!("{} items have no place in the target", thousands(found.refused)))?;
    }
    if found.is_equal() {
        return line(format_args!(
            "verified: {} items are the same on both sides, for {:.1} RU",
            thousands(found.source_items),
            found.request_units
        ));
    }
    line(format_args!(
        "not the same: {} items in the source, {} in the target",
        thousands(found.source_items),
        thousands(found.target_items)
    ))?;
    for (count, what) in [
        (found.missing, "missing in the target; run the copy again"),
        (found.different, "different in the target; copy with --restart to write them again"),
        (
            found.clashing,
            "with the id and partition key of another item; choose another key, or make ids differ with --transform",
        ),
        (found.extra, "only in the target; --delete-extra removes them"),
    ] {
        if count > 0 {
            line(format_args!("  {} {what}", thousands(count)))?;
        }
    }
    for difference in &found.first {
        line(named(difference))?;
    }
    Ok(())
}

fn named(difference: &Difference) -> String {
    let kind = match difference.kind {
        DifferenceKind::Missing => "missing",
        DifferenceKind::Different => "different",
        DifferenceKind::Clashing => "clashing",
        DifferenceKind::Extra => "extra",
    };
    format!("    {kind}: '{}' in {}", difference.id, difference.partition_key)
}

/// Why a copy could not be carried out, with the way out.
pub(super) fn failure(what: &str, checkpoint: &Path, error: &CopyError) -> Failure {
    match error {
        CopyError::Plan(_) => Failure::of(what, error).or_way_out("correct the flags"),
        CopyError::Rejected(refused) => {
            let (first, rest) = split(refused);
            Failure::new(what, first)
                .way_out(
                    "Give them a value with --transform, or leave them out with --skip-refused",
                )
                .detail(rest)
        }
        CopyError::Checkpoint(why) => {
            Failure::new(format!("{what}: the checkpoint {}", checkpoint.display()), why)
                .way_out("Begin anew with --restart, or choose another file with --checkpoint")
        }
        CopyError::Call { what: step, error } => Failure::of(format!("{what}: {step}"), error)
            .or_way_out("run the same command again: it goes on at its checkpoint"),
    }
}

/// The first line, and the others with their line breaks before them.
fn split(refused: &RejectedItems) -> (String, String) {
    let text = refused.to_string();
    match text.find('\n') {
        None => (text, String::new()),
        Some(at) => {
            let (first, rest) = text.split_at(at);
            (first.to_owned(), rest.to_owned())
        }
    }
}
