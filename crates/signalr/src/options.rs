//! The settings of a hub, with the defaults of the official server where it has them.
//!
//! Does not own their enforcement: each limit is kept where the thing that it limits lives.

use std::time::Duration;

/// The settings of a hub.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// How long a client may take for its handshake.
    pub handshake_timeout: Duration,
    /// How often the server pings, so that clients know that it is there.
    pub keep_alive_interval: Duration,
    /// A client that sends nothing for this long is gone.
    pub client_timeout: Duration,
    /// The largest message that a client may send.
    pub receive_message_bytes_max: usize,
    /// Invocations of one connection that run at the same time; the others wait in order.
    pub parallel_invocations_max: usize,
    /// Invocations of one connection that wait for those. At the limit nothing more is read from the connection.
    pub waiting_invocations_max: usize,
    /// Streams of one connection, both ways together. One more is refused with an error.
    pub streams_max: usize,
    /// Items of an upload stream that wait for the hub method. At the limit nothing more is read from the connection.
    pub stream_buffer_items: usize,
    /// Bytes that wait to be sent to one connection. A client that is slower than this is disconnected.
    pub send_queue_bytes_max: usize,
    /// Messages that wait to be sent to one connection. A client that is slower than this is disconnected.
    pub send_queue_messages_max: usize,
    /// How long one write to the network may take.
    pub send_timeout: Duration,
    /// Whether a client may ask for stateful reconnect.
    pub stateful_reconnect: bool,
    /// Bytes sent and not acknowledged by a client with stateful reconnect. At the limit, sending waits for an
    /// acknowledgement.
    pub replay_bytes_max: usize,
    /// How long a connection outlives its transport, where it may: between two polls, and with stateful reconnect.
    pub disconnect_timeout: Duration,
    /// How long a poll is held when there is nothing to send.
    pub poll_timeout: Duration,
    /// How long the server waits for the result of an invocation of a client.
    pub client_result_timeout: Duration,
    /// Whether clients read the messages of internal errors.
    pub detailed_errors: bool,
    /// Which pages may connect.
    pub origins: OriginPolicy,
    /// The transports that are offered.
    pub transports: TransportSet,
    /// The protocols that are accepted.
    pub protocols: ProtocolSet,
    /// The lowest version of negotiation that is accepted: 0, or 1 to require secret connection tokens.
    pub negotiate_version_min: u32,
    /// Connections that may be open at the same time. More are refused with status 503.
    pub connections_max: usize,
    /// Negotiated connections that have not been opened yet. More are refused with status 503.
    pub negotiations_max: usize,
}

impl Default for HubOptions {
    fn default() -> Self {
        Self {
            handshake_timeout: Duration::from_secs(15),
            keep_alive_interval: Duration::from_secs(15),
            client_timeout: Duration::from_secs(30),
            receive_message_bytes_max: 32 * 1024,
            parallel_invocations_max: 1,
            waiting_invocations_max: 64,
            streams_max: 64,
            stream_buffer_items: 10,
            send_queue_bytes_max: 1024 * 1024,
            send_queue_messages_max: 4096,
            send_timeout: Duration::from_secs(10),
            stateful_reconnect: false,
            replay_bytes_max: 100_000,
            disconnect_timeout: Duration::from_secs(15),
            poll_timeout: Duration::from_secs(90),
            client_result_timeout: Duration::from_secs(30),
            detailed_errors: false,
            origins: OriginPolicy::SameOrigin,
            transports: TransportSet::default(),
            protocols: ProtocolSet::default(),
            negotiate_version_min: 0,
            connections_max: 100_000,
            negotiations_max: 10_000,
        }
    }
}

/// Which pages may connect. Programs that are not browsers send no origin and are always allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OriginPolicy {
    /// Only pages of the host that the request names.
    SameOrigin,
    /// Pages of these origins, such as `https://app.example`, and those of the same host.
    Listed(Vec<String>),
    /// Every page. Only for hubs that identify nobody by a cookie.
    Any,
}

/// The transports that a hub offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportSet {
    /// WebSockets.
    pub web_sockets: bool,
    /// Server-Sent Events.
    pub server_sent_events: bool,
    /// Long polling.
    pub long_polling: bool,
}

impl Default for TransportSet {
    fn default() -> Self {
        Self { web_sockets: true, server_sent_events: true, long_polling: true }
    }
}

/// The protocols that a hub accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolSet {
    /// JSON.
    pub json: bool,
    /// MessagePack.
    pub message_pack: bool,
}

impl Default for ProtocolSet {
    fn default() -> Self {
        Self { json: true, message_pack: true }
    }
}
