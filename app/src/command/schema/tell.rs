//! What the subcommands say.

use std::path::Path;

use service::schema::{SchemaApplyError, SchemaErrors, SchemaPlan};

use crate::failure::Failure;
use crate::place::Place;

/// All mistakes of the files.
pub(super) fn mistakes(file: &Path, mistakes: &SchemaErrors) -> Failure {
    let count = mistakes.0.len();
    let why = format!("{count} mistake{}", if count == 1 { "" } else { "s" });
    let lines = mistakes.0.iter().map(|mistake| format!("\n  {mistake}"));
    Failure::new(format!("reading {}", file.display()), why)
        .way_out("Correct what is listed and run it again")
        .detail(lines.collect::<String>())
}

/// The plan for a place.
pub(super) fn plan(plan: &SchemaPlan, place: &Place) -> String {
    let flags = match place {
        Place::Folder(folder) => format!("--from-data {}", quoted(&folder.display().to_string())),
        Place::Endpoint { url, .. } => format!("--from-endpoint {}", quoted(url)),
    };
    plan.text(&flags)
}

/// Why nothing, or not everything, was applied.
pub(super) fn refusal(place: &Place, error: &SchemaApplyError) -> Failure {
    match error {
        SchemaApplyError::Refused(plan) => {
            let what =
                plan.obstacles.iter().map(|one| format!("{} of {}", one.property, one.resource));
            let what = what.collect::<Vec<_>>().join(", ");
            let why = format!("nothing was done, because this cannot be changed: {what}");
            Failure::new(format!("applying the schema to {place}"), why)
                .way_out("The plan above says what to do instead")
        }
        SchemaApplyError::Account { doing, error } => {
            Failure::of(format!("applying the schema to {place}, {doing}"), error)
                .or_way_out("What was done stays; run it again to do the rest")
        }
    }
}

/// A word of a command line, in quotes when a shell would take it apart.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-:=".contains(letter);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
