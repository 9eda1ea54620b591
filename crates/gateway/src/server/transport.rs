//! How a request reached the gateway.
//!
//! Owns the three ways. The checks that protect against strangers on a network apply to sockets only.

/// How a request reached the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// By a call in this process.
    InProcess,
    Http,
    Https,
}

impl Transport {
    /// The scheme of URLs in responses.
    pub(super) fn scheme(self) -> &'static str {
        match self {
            Self::InProcess | Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(super) fn is_socket(self) -> bool {
        self != Self::InProcess
    }
}
