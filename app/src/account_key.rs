//! Reads the account key that flags name.

use std::path::Path;

use gateway::AccountKey;

use crate::error::CommandError;

/// The account key from a flag or a file; by default the well-known key of the emulators.
pub(crate) fn read_account_key(
    key: Option<&str>,
    key_file: Option<&Path>,
) -> Result<AccountKey, CommandError> {
    let text = match (key, key_file) {
        (Some(key), _) => key.to_owned(),
        (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
            CommandError::new(format!("reading the key file {}", file.display()), error.to_string())
                .hint("Give a file that contains one base64 text")
        })?,
        (None, None) => return Ok(AccountKey::emulator()),
    };
    AccountKey::parse(&text).map_err(|_| {
        CommandError::new("reading the account key", "it is not base64")
            .hint("Create one with `head -c 64 /dev/urandom | base64 -w0`")
    })
}
