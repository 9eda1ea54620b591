//! Where the account key comes from, and when the well-known one is refused.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use gateway::AccountKey;

use super::emulator::Wishes;
use crate::failure::Failure;

/// The flags about the account key.
#[derive(Clone, Debug, Args)]
pub(crate) struct KeyFlags {
    /// Account key in base64; without it the key every emulator has is used
    #[arg(long, value_name = "KEY", conflicts_with = "key_file")]
    key: Option<String>,

    /// File that holds the account key
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Serve other machines although everybody knows the key
    #[arg(long)]
    allow_insecure_key: bool,
}

impl KeyFlags {
    /// The flags, with what the environment wishes where they say nothing.
    pub(crate) fn or(mut self, wishes: &Wishes) -> Self {
        if self.key.is_none() && self.key_file.is_none() {
            self.key_file = wishes.key_file.clone();
            self.key = wishes.key.clone().filter(|_| self.key_file.is_none());
        }
        self
    }

    pub(crate) fn account_key(&self) -> Result<AccountKey, Failure> {
        account_key(self.key.as_deref(), self.key_file.as_deref())
    }

    /// Refuses to show an account to a network when its key is no secret.
    pub(crate) fn check(&self, key: &AccountKey, addresses: &[SocketAddr]) -> Result<(), Failure> {
        let is_public = addresses.iter().any(|address| !address.ip().is_loopback());
        if !is_public || !key.is_well_known() || self.allow_insecure_key {
            return Ok(());
        }
        let why = "other machines could reach it, and everybody knows the key of the emulators";
        Err(Failure::new("serving", why).way_out(
            "Give a key of your own with --key-file, or say --allow-insecure-key if the network is yours alone",
        ))
    }
}

/// The account key of a text or a file; the well-known one without either.
pub(crate) fn account_key(
    key: Option<&str>,
    key_file: Option<&Path>,
) -> Result<AccountKey, Failure> {
    let text = match (key, key_file) {
        (Some(key), _) => key.to_owned(),
        (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
            Failure::new(format!("reading the key file {}", file.display()), error.to_string())
                .way_out("Give a file that holds one base64 text")
        })?,
        (None, None) => return Ok(AccountKey::emulator()),
    };
    AccountKey::parse(&text).map_err(|_| {
        Failure::new("reading the account key", "it is not base64")
            .way_out("Make one with `head -c 64 /dev/urandom | base64 -w0`")
    })
}
