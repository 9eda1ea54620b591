//! How a request reached the gateway, and what the listener that accepted it serves.
//!
//! Owns the ways and the roles. The checks that protect against strangers on a network apply to sockets only.

/// How a request reached the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transport {
    carrier: Carrier,
    pub(super) role: ListenerRole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carrier {
    /// A call in this process.
    InProcess,
    Http,
    Https,
}

/// What a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListenerRole {
    /// Everything.
    Api,
    /// Everything, and the explorer at `/`.
    Explorer,
    /// Only whether the server is alive and ready, as the emulators answer it.
    Health,
}

impl Transport {
    pub(super) const IN_PROCESS: Self =
        Self { carrier: Carrier::InProcess, role: ListenerRole::Api };

    pub(super) fn http(role: ListenerRole) -> Self {
        Self { carrier: Carrier::Http, role }
    }

    pub(super) fn https(role: ListenerRole) -> Self {
        Self { carrier: Carrier::Https, role }
    }

    /// The scheme of URLs in responses.
    pub(super) fn scheme(self) -> &'static str {
        match self.carrier {
            Carrier::InProcess | Carrier::Http => "http",
            Carrier::Https => "https",
        }
    }

    pub(super) fn is_socket(self) -> bool {
        self.carrier != Carrier::InProcess
    }
}
