//! Where the account of a command is: a store in a folder, or an endpoint.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use client::{Account, PartitionKeyDefinition, StorageLocation};
use engine::Engine;

use crate::account_key::read_account_key;
use crate::error::CommandError;
pub(crate) use crate::open::MissingStore;
use crate::open::{StoreFlags, shown_location};

/// The location of an account.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum AccountLocation {
    Folder(PathBuf),
    Endpoint { url: String, key: String },
}

/// The flags of a command that uses one account.
#[derive(Debug, Args)]
pub(crate) struct AccountFlags {
    /// Folder of a store, or postgres://...
    #[arg(long, visible_alias = "store", value_name = "DIR", conflicts_with_all = ["endpoint", "connection_string"])]
    data: Option<PathBuf>,

    /// Address of a running server or an Azure account; give its key with --key or --key-file
    #[arg(long, value_name = "URL", conflicts_with = "connection_string")]
    endpoint: Option<String>,

    /// Account key in base64 for --endpoint; by default the well-known key of the emulators
    #[arg(long, value_name = "KEY", requires = "endpoint", conflicts_with = "key_file")]
    key: Option<String>,

    /// File that contains the account key for --endpoint
    #[arg(long, value_name = "FILE", requires = "endpoint")]
    key_file: Option<PathBuf>,

    /// Address and key in one, 'AccountEndpoint=...;AccountKey=...;', or env:NAME for an environment variable
    #[arg(long, value_name = "TEXT")]
    connection_string: Option<String>,
}

/// The values of the flags, which are named differently in commands with two accounts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AccountArguments<'flags> {
    pub(crate) data: Option<&'flags Path>,
    pub(crate) endpoint: Option<&'flags str>,
    pub(crate) key: Option<&'flags str>,
    pub(crate) key_file: Option<&'flags Path>,
    pub(crate) connection_string: Option<&'flags str>,
}

impl AccountFlags {
    pub(crate) fn location(&self) -> Result<AccountLocation, CommandError> {
        self.optional_location()?.ok_or_else(|| {
            CommandError::new("reading the flags", "no account is given").hint(
                "give a folder with --data, or an account with --endpoint or --connection-string",
            )
        })
    }

    /// The location; `None` if no flag gives one.
    pub(crate) fn optional_location(&self) -> Result<Option<AccountLocation>, CommandError> {
        let arguments = AccountArguments {
            data: self.data.as_deref(),
            endpoint: self.endpoint.as_deref(),
            key: self.key.as_deref(),
            key_file: self.key_file.as_deref(),
            connection_string: self.connection_string.as_deref(),
        };
        arguments.location()
    }
}

impl AccountArguments<'_> {
    /// The location; `None` if no argument gives one.
    pub(crate) fn location(self) -> Result<Option<AccountLocation>, CommandError> {
        if let Some(folder) = self.data {
            return Ok(Some(AccountLocation::Folder(folder.to_owned())));
        }
        if let Some(url) = self.endpoint {
            let key = read_account_key(self.key, self.key_file)?;
            let (url, key) = (url.to_owned(), key.text().to_owned());
            return Ok(Some(AccountLocation::Endpoint { url, key }));
        }
        self.connection_string.map(parse_connection_string).transpose()
    }
}

impl AccountLocation {
    /// Opens the account.
    pub(crate) async fn open(
        &self,
        flags: &StoreFlags,
        missing: MissingStore,
    ) -> Result<Account, CommandError> {
        Ok(self.open_with_engine(flags, missing).await?.0)
    }

    /// The same, with the engine of a folder.
    pub(crate) async fn open_with_engine(
        &self,
        flags: &StoreFlags,
        missing: MissingStore,
    ) -> Result<(Account, Option<Engine>), CommandError> {
        match self {
            Self::Folder(folder) => {
                let engine = match missing {
                    MissingStore::Refuse => {
                        flags.open_existing(folder, engine::EngineSettings::default()).await?
                    }
                    MissingStore::Create => flags.open(folder).await?,
                };
                let account = Account::embedded(StorageLocation::Engine(engine.clone())).await;
                let account = account
                    .map_err(|error| CommandError::from_error(format!("opening {self}"), &error))?;
                Ok((account, Some(engine)))
            }
            Self::Endpoint { url, key } => {
                let text = format!("AccountEndpoint={url};AccountKey={key};");
                let account = Account::open(&text).await.map_err(|error| {
                    CommandError::from_error(format!("connecting to {self}"), &error)
                        .or_hint("check the address, the key, and that the server is running")
                })?;
                Ok((account, None))
            }
        }
    }

    /// Whether both are the same account, judging by path or address.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => {
                match (one.canonicalize(), other.canonicalize()) {
                    // Resolved, so that a link or a relative path to the same folder is found.
                    (Ok(one), Ok(other)) => one == other,
                    _ => one == other,
                }
            }
            (Self::Endpoint { url: one, .. }, Self::Endpoint { url: other, .. }) => {
                let plain = |url: &str| url.trim_end_matches('/').to_ascii_lowercase();
                plain(one) == plain(other)
            }
            _ => false,
        }
    }
}

/// Parses a connection string, or the environment variable that contains it. Errors never contain the key.
fn parse_connection_string(text: &str) -> Result<AccountLocation, CommandError> {
    let refused = |why: String| {
        CommandError::new("reading the connection string", why)
            .hint("its form is 'AccountEndpoint=<url>;AccountKey=<key>;'")
    };
    let text = match text.strip_prefix("env:") {
        None => text.to_owned(),
        Some(name) => std::env::var(name)
            .map_err(|_| refused(format!("the environment variable {name} is not set")))?,
    };
    let part = |name: &str| {
        let mut parts = text.split(';').filter_map(|part| part.trim().split_once('='));
        let found = parts.find(|(word, _)| word.eq_ignore_ascii_case(name));
        // `split_once` leaves the padding of a base64 key in the value.
        found.map(|(_, value)| value.to_owned()).filter(|value| !value.is_empty())
    };
    match (part("AccountEndpoint"), part("AccountKey")) {
        (Some(url), Some(key)) => Ok(AccountLocation::Endpoint { url, key }),
        (None, _) => Err(refused("it has no AccountEndpoint".to_owned())),
        (_, None) => Err(refused("it has no AccountKey".to_owned())),
    }
}

/// Parses the paths of `--partition-key`; `None` without any.
pub(crate) fn parse_partition_key(
    paths: &[String],
) -> Result<Option<PartitionKeyDefinition>, CommandError> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let definition = match paths.as_slice() {
        [] => return Ok(None),
        [path] => PartitionKeyDefinition::single(path),
        paths => PartitionKeyDefinition::hierarchical(paths),
    };
    definition.map(Some).map_err(|invalid| {
        CommandError::new("reading --partition-key", invalid.message().trim_end_matches('.'))
            .hint("give a path such as /tenantId; repeat the flag for a hierarchical key")
    })
}

/// The key is never printed.
impl fmt::Display for AccountLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => formatter.write_str(&shown_location(folder)),
            Self::Endpoint { url, .. } => formatter.write_str(url),
        }
    }
}

impl fmt::Debug for AccountLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "AccountLocation({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> AccountLocation {
        parse_connection_string(text).unwrap()
    }

    #[test]
    fn the_key_of_a_connection_string_is_not_printed() {
        let location = endpoint("AccountEndpoint=http://localhost:8081/;AccountKey=c2VjcmV0;");
        assert_eq!(
            format!("{location} {location:?}"),
            "http://localhost:8081/ AccountLocation(http://localhost:8081/)"
        );
    }

    #[test]
    fn a_missing_part_is_reported() {
        for (text, missing) in
            [("AccountKey=a", "AccountEndpoint"), ("AccountEndpoint=a", "AccountKey")]
        {
            let message = parse_connection_string(text).unwrap_err().to_string();
            assert!(message.contains(missing), "{message}");
        }
        let message =
            parse_connection_string("env:PLANISPHERE_NO_SUCH_VARIABLE").unwrap_err().to_string();
        assert!(message.contains("PLANISPHERE_NO_SUCH_VARIABLE is not set"), "{message}");
    }

    #[test]
    fn one_endpoint_has_several_spellings() {
        let one = endpoint("AccountEndpoint=http://Localhost:8081/;AccountKey=a;");
        let other = endpoint("AccountEndpoint=http://localhost:8081;AccountKey=a;");
        assert!(one.is_same(&other));
        assert!(!one.is_same(&AccountLocation::Folder("http://localhost:8081".into())));
    }
}
