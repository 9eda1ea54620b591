//! The account key of a server, and when the well-known key is rejected.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use gateway::AccountKey;

use super::emulator::EmulatorVariables;
use crate::account_key::read_account_key;
use crate::error::CommandError;

/// The flags about the account key.
#[derive(Clone, Debug, Args)]
pub(crate) struct KeyFlags {
    /// Account key in base64; by default the well-known key of the emulators
    #[arg(long, value_name = "KEY", conflicts_with = "key_file")]
    key: Option<String>,

    /// File that contains the account key
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Accept connections from other machines even with the well-known key
    #[arg(long)]
    allow_insecure_key: bool,

    /// Host name that clients may use with the well-known key, such as the name of a container; may be repeated;
    /// '*' accepts all. Names of this machine are always accepted
    #[arg(long, value_name = "NAME")]
    allowed_host: Vec<String>,
}

impl KeyFlags {
    /// Adds the emulators' environment variables where the flags are absent.
    pub(crate) fn with_variables(mut self, variables: &EmulatorVariables) -> Self {
        if self.key.is_none() && self.key_file.is_none() {
            self.key_file = variables.key_file.clone();
            self.key = variables.key.clone().filter(|_| self.key_file.is_none());
        }
        self
    }

    pub(crate) fn account_key(&self) -> Result<AccountKey, CommandError> {
        read_account_key(self.key.as_deref(), self.key_file.as_deref())
    }

    /// Whether the key comes from a file. Who can read our output need not be able to read that file.
    pub(crate) fn has_key_file(&self) -> bool {
        self.key.is_none() && self.key_file.is_some()
    }

    /// The host names that are accepted with the well-known key, besides those of this machine.
    pub(crate) fn allowed_hosts(&self) -> &[String] {
        &self.allowed_host
    }

    /// Rejects serving other machines with a key that everybody knows or can guess.
    pub(crate) fn check_public(
        &self,
        key: &AccountKey,
        addresses: &[SocketAddr],
    ) -> Result<(), CommandError> {
        let is_public = addresses.iter().any(|address| !address.ip().is_loopback());
        if !is_public || self.allow_insecure_key {
            return Ok(());
        }
        let why = if key.is_well_known() {
            "other machines could connect, and everybody knows the key of the emulators"
        } else if key.is_guessable() {
            "other machines could connect, and a key of fewer than 16 bytes can be guessed"
        } else {
            return Ok(());
        };
        Err(CommandError::new("serving", why).hint(
            "Give a key of your own with --key-file, or --allow-insecure-key if you control the network",
        ))
    }
}
