//! What `serve` prints when it is ready: for people, for scripts that wait for a word, or as one JSON line.

use gateway::AccountKey;
use model::{Json, Object};

use crate::error::CommandError;
use crate::output;

/// The content of the message.
#[derive(Debug)]
pub(crate) struct ReadyMessage<'a> {
    pub(crate) endpoint: &'a str,
    /// The address of the socket.
    pub(crate) listened: &'a str,
    /// The key, unless it is in a file: then it is not printed, because output ends up in logs.
    pub(crate) key: Option<&'a AccountKey>,
    /// A folder, or "memory".
    pub(crate) data: &'a str,
    /// The token that begins a session of the explorer; absent without an explorer.
    pub(crate) explorer_token: Option<&'a str>,
    /// Whether the last line ends like that of the older emulator.
    pub(crate) is_emulator: bool,
}

impl ReadyMessage<'_> {
    fn connection_string(&self, key: &AccountKey) -> String {
        format!("AccountEndpoint={};AccountKey={};", self.endpoint, key.text())
    }

    /// The page of the explorer. The token is in the fragment, which browsers send to nobody.
    fn explorer_url(&self) -> Option<String> {
        let token = self.explorer_token?;
        Some(format!("{}_explorer#token={token}", self.endpoint))
    }

    pub(crate) fn print(&self) -> Result<(), CommandError> {
        output::line(format_args!("Planisphere serves {} (data: {})", self.endpoint, self.data))?;
        match self.key {
            Some(key) => {
                output::line(format_args!("Account key:       {}", key.text()))?;
                output::line(format_args!("Connection string: {}", self.connection_string(key)))?;
            }
            None => output::line("Account key:       the one in the key file")?,
        }
        if let Some(url) = self.explorer_url() {
            output::line(format_args!("Data explorer:     {url}"))?;
        }
        // Scripts written for the emulators wait for one of these three lines. Testcontainers for Java matches a whole
        // chunk of output with `.*Started\r\n$`, so this line is the last one and ends with a carriage return there.
        output::line(format_args!("Now listening on: {}", self.listened))?;
        output::line("System is now fully ready to accept requests")?;
        output::line(if self.is_emulator { "Started\r" } else { "Started" })
    }

    pub(crate) fn print_json(&self) -> Result<(), CommandError> {
        let mut ready = Object::new();
        ready.insert("endpoint", self.endpoint);
        if let Some(key) = self.key {
            ready.insert("key", key.text());
            ready.insert("connectionString", self.connection_string(key));
        }
        ready.insert("data", self.data);
        if let Some(url) = self.explorer_url() {
            ready.insert("explorer", url);
        }
        let mut line = Object::new();
        line.insert("ready", ready);
        output::line(Json::Object(line))
    }
}
