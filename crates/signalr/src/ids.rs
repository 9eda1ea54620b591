//! Identifiers of connections, and where their randomness comes from.
//!
//! A connection has a public id, which other clients may learn, and a secret token, which continues it.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The public id of a connection.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(Arc<str>);

impl ConnectionId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ConnectionId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for ConnectionId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for ConnectionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ConnectionId({})", self.0)
    }
}

/// Fills a buffer with random bytes. Tokens are secrets, so the source must not be predictable outside tests.
pub type RandomBytes = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// The randomness of the operating system.
pub(crate) fn system_random() -> RandomBytes {
    Arc::new(|bytes| {
        getrandom::fill(bytes).expect("the operating system has randomness once it has started");
    })
}

/// 128 random bits as text that needs no escaping in a URL.
pub(crate) fn random_text(random: &RandomBytes) -> String {
    let mut bytes = [0; 16];
    random(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}
