//! Messages of the subcommands.

use std::path::Path;

use service::schema::{SchemaApplyError, SchemaErrors, SchemaPlan};

use crate::account_location::AccountLocation;
use crate::error::CommandError;

/// All errors in the files.
pub(super) fn schema_errors(file: &Path, errors: &SchemaErrors) -> CommandError {
    let count = errors.0.len();
    let why = format!("{count} error{}", if count == 1 { "" } else { "s" });
    let lines = errors.0.iter().map(|error| format!("\n  {error}"));
    CommandError::new(format!("reading {}", file.display()), why)
        .hint("Correct what is listed and run it again")
        .detail(lines.collect::<String>())
}

/// The plan for an account.
pub(super) fn plan(plan: &SchemaPlan, location: &AccountLocation) -> String {
    let flags = match location {
        AccountLocation::Folder(folder) => {
            format!("--from-data {}", shell_quoted(&crate::open::shown_location(folder)))
        }
        AccountLocation::Endpoint { url, .. } => format!("--from-endpoint {}", shell_quoted(url)),
    };
    plan.text(&flags)
}

/// Why nothing, or not everything, was applied.
pub(super) fn apply_error(location: &AccountLocation, error: &SchemaApplyError) -> CommandError {
    match error {
        SchemaApplyError::Refused(plan) => {
            let what =
                plan.obstacles.iter().map(|one| format!("{} of {}", one.property, one.resource));
            let what = what.collect::<Vec<_>>().join(", ");
            let why = format!("nothing was changed, because this cannot be changed: {what}");
            CommandError::new(format!("applying the schema to {location}"), why)
                .hint("The plan above shows the alternatives")
        }
        SchemaApplyError::Scripts { doing, error } => CommandError::new(
            format!("applying the schema to {location}, {doing}"),
            error.to_string(),
        ),
        SchemaApplyError::Account { doing, error } => {
            CommandError::from_error(format!("applying the schema to {location}, {doing}"), error)
                .or_hint("What was applied remains; run it again to apply the rest")
        }
    }
}

/// Quotes an argument if a shell would split it.
fn shell_quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-:=".contains(letter);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
