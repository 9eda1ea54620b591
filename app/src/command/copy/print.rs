//! Prints the result of a copy and its differences, and explains why it failed.

use std::path::Path;

use service::copy::{
    CopyError, CopySummary, CopyVerification, Difference, DifferenceKind, RejectedItems,
};

use crate::error::CommandError;
use crate::output::{line, thousands};

pub(super) fn copied(copied: &CopySummary, from: &str, to: &str) -> Result<(), CommandError> {
    let resumed = if copied.is_resumed { ", continuing from the checkpoint" } else { "" };
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
            "some deletions in the source were missed; --verify --delete-extra deletes what remains",
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

pub(super) fn verification(found: &CopyVerification) -> Result<(), CommandError> {
    if found.deleted > 0 {
        line(format_args!(
            "deleted {} items that the source does not have",
            thousands(found.deleted)
        ))?;
    }
    if found.refused > 0 {
        line(format_args!("{} items cannot be in the target", thousands(found.refused)))?;
    }
    if found.is_equal() {
        return line(format_args!(
            "verified: {} items are equal in source and target, for {:.1} RU",
            thousands(found.source_items),
            found.request_units
        ));
    }
    line(format_args!(
        "not equal: {} items in the source, {} in the target",
        thousands(found.source_items),
        thousands(found.target_items)
    ))?;
    for (count, what) in [
        (found.missing, "missing in the target; run the copy again"),
        (found.different, "different in the target; copy with --restart to write them again"),
        (
            found.clashing,
            "with the id and partition key of another item; choose another key, or change ids with --transform",
        ),
        (found.extra, "only in the target; --delete-extra deletes them"),
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

/// Why a copy failed, with a hint.
pub(super) fn failure(what: &str, checkpoint: &Path, error: &CopyError) -> CommandError {
    match error {
        CopyError::Plan(_) => CommandError::from_error(what, error).or_hint("correct the flags"),
        CopyError::Rejected(refused) => {
            let (first, rest) = split(refused);
            CommandError::new(what, first)
                .hint("Give them a value with --transform, or leave them out with --skip-refused")
                .detail(rest)
        }
        CopyError::Checkpoint(why) => {
            CommandError::new(format!("{what}: the checkpoint {}", checkpoint.display()), why)
                .hint("Start over with --restart, or choose another file with --checkpoint")
        }
        CopyError::Call { what: step, error } => {
            CommandError::from_error(format!("{what}: {step}"), error)
                .or_hint("run the same command again: it continues from its checkpoint")
        }
    }
}

/// The first line, and the other lines, each starting with a line break.
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
