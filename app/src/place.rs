//! Where an account is that a command works on: a folder, or an endpoint.
//!
//! Owns how a place is named on a command line, told without its key, and opened. Does not own the flags: commands with
//! two places have them twice.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use client::{Account, PartitionKeyDefinition, StorageLocation};

use crate::command::account_key;
use crate::failure::Failure;
use crate::open::{StoreFlags, refuse_missing};

/// One place.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Folder(PathBuf),
    Endpoint { url: String, key: String },
}

/// The flags of a command on one place.
#[derive(Debug, Args)]
pub(crate) struct PlaceFlags {
    /// Folder of a store
    #[arg(long, value_name = "DIR", conflicts_with_all = ["endpoint", "connection_string"])]
    data: Option<PathBuf>,

    /// Address of a running server or an account, with --key or --key-file
    #[arg(long, value_name = "URL", conflicts_with = "connection_string")]
    endpoint: Option<String>,

    /// Account key in base64 for --endpoint; without it the key every emulator has is used
    #[arg(long, value_name = "KEY", requires = "endpoint", conflicts_with = "key_file")]
    key: Option<String>,

    /// File that holds the account key for --endpoint
    #[arg(long, value_name = "FILE", requires = "endpoint")]
    key_file: Option<PathBuf>,

    /// Address and key in one, 'AccountEndpoint=...;AccountKey=...;', or env:NAME for the variable that holds it
    #[arg(long, value_name = "TEXT")]
    connection_string: Option<String>,
}

/// The words of a place on a command line, whatever the flags are called.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Words<'flags> {
    pub(crate) data: Option<&'flags Path>,
    pub(crate) endpoint: Option<&'flags str>,
    pub(crate) key: Option<&'flags str>,
    pub(crate) key_file: Option<&'flags Path>,
    pub(crate) connection_string: Option<&'flags str>,
}

/// Whether a folder that holds no store becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Refuse,
    Make,
}

impl PlaceFlags {
    pub(crate) fn place(&self) -> Result<Place, Failure> {
        self.named()?.ok_or_else(|| {
            Failure::new("reading the flags", "no place is named").way_out(
                "give a folder with --data, or an account with --endpoint or --connection-string",
            )
        })
    }

    /// The place; none when no flag names one.
    pub(crate) fn named(&self) -> Result<Option<Place>, Failure> {
        let words = Words {
            data: self.data.as_deref(),
            endpoint: self.endpoint.as_deref(),
            key: self.key.as_deref(),
            key_file: self.key_file.as_deref(),
            connection_string: self.connection_string.as_deref(),
        };
        words.place()
    }
}

impl Words<'_> {
    /// The place; none when no word names one.
    pub(crate) fn place(self) -> Result<Option<Place>, Failure> {
        if let Some(folder) = self.data {
            return Ok(Some(Place::Folder(folder.to_owned())));
        }
        if let Some(url) = self.endpoint {
            let key = account_key(self.key, self.key_file)?;
            let (url, key) = (url.to_owned(), key.text().to_owned());
            return Ok(Some(Place::Endpoint { url, key }));
        }
        self.connection_string.map(connection).transpose()
    }
}

impl Place {
    /// Opens it.
    pub(crate) async fn open(
        &self,
        flags: &StoreFlags,
        missing: Missing,
    ) -> Result<Account, Failure> {
        match self {
            Self::Folder(folder) => {
                if missing == Missing::Refuse {
                    refuse_missing(folder)?;
                }
                let engine = flags.open(folder).await?;
                let account = Account::embedded(StorageLocation::Engine(engine)).await;
                account.map_err(|error| Failure::of(format!("opening {self}"), &error))
            }
            Self::Endpoint { url, key } => {
                let text = format!("AccountEndpoint={url};AccountKey={key};");
                Account::open(&text).await.map_err(|error| {
                    Failure::of(format!("connecting to {self}"), &error)
                        .or_way_out("check the address, the key, and that the server runs")
                })
            }
        }
    }

    /// Whether both are the same place, as far as their names tell.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => {
                match (one.canonicalize(), other.canonicalize()) {
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

/// Reads a connection string, or the variable that holds it. A key is in no failure.
fn connection(text: &str) -> Result<Place, Failure> {
    let refused = |why: String| {
        Failure::new("reading the connection string", why)
            .way_out("its form is 'AccountEndpoint=<url>;AccountKey=<key>;'")
    };
    let text = match text.strip_prefix("env:") {
        None => text.to_owned(),
        Some(name) => std::env::var(name)
            .map_err(|_| refused(format!("there is no variable {name} in the environment")))?,
    };
    let part = |name: &str| {
        let mut parts = text.split(';').filter_map(|part| part.trim().split_once('='));
        let found = parts.find(|(word, _)| word.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_owned()).filter(|value| !value.is_empty())
    };
    match (part("AccountEndpoint"), part("AccountKey")) {
        (Some(url), Some(key)) => Ok(Place::Endpoint { url, key }),
        (None, _) => Err(refused("it has no AccountEndpoint".to_owned())),
        (_, None) => Err(refused("it has no AccountKey".to_owned())),
    }
}

/// The definition that paths on a command line give; none without any.
pub(crate) fn partition_key(paths: &[String]) -> Result<Option<PartitionKeyDefinition>, Failure> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let definition = match paths.as_slice() {
        [] => return Ok(None),
        [path] => PartitionKeyDefinition::single(path),
        paths => PartitionKeyDefinition::hierarchical(paths),
    };
    definition.map(Some).map_err(|invalid| {
        Failure::new("reading --partition-key", invalid.message().trim_end_matches('.'))
            .way_out("give paths such as /tenantId, once for each level")
    })
}

/// A key is never printed.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(formatter),
            Self::Endpoint { url, .. } => formatter.write_str(url),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Place({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> Place {
        connection(text).unwrap()
    }

    #[test]
    fn a_connection_string_is_a_place_without_a_visible_key() {
        let place = endpoint("AccountEndpoint=http://localhost:8081/;AccountKey=c2VjcmV0;");
        assert_eq!(
            format!("{place} {place:?}"),
            "http://localhost:8081/ Place(http://localhost:8081/)"
        );
    }

    #[test]
    fn a_part_that_is_missing_is_named() {
        for (text, missing) in
            [("AccountKey=a", "AccountEndpoint"), ("AccountEndpoint=a", "AccountKey")]
        {
            let told = connection(text).unwrap_err().to_string();
            assert!(told.contains(missing), "{told}");
        }
        let told = connection("env:PLANISPHERE_NO_SUCH_VARIABLE").unwrap_err().to_string();
        assert!(told.contains("no variable PLANISPHERE_NO_SUCH_VARIABLE"), "{told}");
    }

    #[test]
    fn one_endpoint_has_several_spellings() {
        let one = endpoint("AccountEndpoint=http://Localhost:8081/;AccountKey=a;");
        let other = endpoint("AccountEndpoint=http://localhost:8081;AccountKey=a;");
        assert!(one.is_same(&other));
        assert!(!one.is_same(&Place::Folder("http://localhost:8081".into())));
    }
}
