//! The start of a connection: the handshake within its time.
//!
//! Does not own the bytes of the handshake; see `message/handshake.rs`.

use std::time::Duration;

use bytes::BytesMut;
use tokio::time::timeout;

use super::hub_connection::{HubConnection, TransportKind, lock};
use super::inbox::Inbound;
use crate::error::ProtocolError;
use crate::message::{Frame, HandshakeRequest, HubProtocol, handshake_answer, parse_handshake};
use crate::options::HubOptions;

/// How long the first message of a client is waited for.
const FIRST_WORD: Duration = Duration::from_millis(500);

/// What a handshake leads to.
pub(super) struct Opened {
    pub(super) protocol: HubProtocol,
    /// What the client sent behind its handshake.
    pub(super) rest: BytesMut,
    /// Whether the connection survives the loss of its transport.
    pub(super) stateful: bool,
}

/// Reads the handshake and answers it. `None`: the connection ends; the client, if still connected, has the error.
pub(super) async fn shake_hands(
    connection: &HubConnection,
    options: &HubOptions,
) -> Option<Opened> {
    let reading = read_request(connection, options.receive_message_bytes_max);
    let request = match timeout(options.handshake_timeout, reading).await {
        Ok(HandshakeRead::Request(request, rest)) => accept(connection, options, request, rest),
        Ok(HandshakeRead::Broken(error)) => {
            let what = "An unexpected error occurred during connection handshake.";
            Err(match options.detailed_errors {
                true => format!("{what} InvalidDataException: {}", error.0),
                false => what.to_owned(),
            })
        }
        Ok(HandshakeRead::Oversize) | Err(_) => Err("Handshake was canceled.".to_owned()),
        Ok(HandshakeRead::Gone) => return None,
    };
    match request {
        Ok(opened) => {
            let answer = handshake_answer(None);
            let frame = Frame::handshake(answer, opened.protocol.is_binary());
            connection.outbox.push_control(frame);
            connection.set_protocol(opened.protocol);
            Some(opened)
        }
        Err(error) => {
            tracing::debug!(connection = %connection.id, error, "a handshake failed");
            let answer = handshake_answer(Some(&error));
            connection.outbox.push_control(Frame::handshake(answer, false));
            None
        }
    }
}

/// Waits until a client with stateful reconnect has said something after the handshake, which the official clients do
/// at once. The JavaScript client counts messages only from then on: one that comes together with the answer to the
/// handshake would not be counted, and as many would be replayed twice after each reconnect.
pub(super) async fn wait_for_first_word(connection: &HubConnection, opened: &Opened) {
    if opened.stateful && opened.rest.is_empty() {
        // A client that is silent is served all the same.
        let _ = timeout(FIRST_WORD, connection.inbox.arrived()).await;
    }
}

enum HandshakeRead {
    Request(HandshakeRequest, BytesMut),
    Broken(ProtocolError),
    Oversize,
    Gone,
}

async fn read_request(connection: &HubConnection, bytes_max: usize) -> HandshakeRead {
    let mut bytes = BytesMut::new();
    loop {
        match connection.inbox.next().await {
            Inbound::Data(data) => bytes.extend_from_slice(&data),
            Inbound::Oversize => return HandshakeRead::Oversize,
            Inbound::Reattached => bytes.clear(),
            Inbound::Ended(_) => return HandshakeRead::Gone,
        }
        match parse_handshake(bytes.get(..bytes_max).unwrap_or(&bytes)) {
            Err(error) => return HandshakeRead::Broken(error),
            Ok(Some((request, taken))) => {
                let rest = bytes.split_off(taken);
                return HandshakeRead::Request(request, rest);
            }
            Ok(None) if bytes.len() > bytes_max => return HandshakeRead::Oversize,
            Ok(None) => {}
        }
    }
}

fn accept(
    connection: &HubConnection,
    options: &HubOptions,
    request: HandshakeRequest,
    rest: BytesMut,
) -> Result<Opened, String> {
    let HandshakeRequest { protocol: name, version } = request;
    let is_enabled = |protocol: &HubProtocol| match protocol {
        HubProtocol::Json => options.protocols.json,
        HubProtocol::MessagePack => options.protocols.message_pack,
    };
    let Some(protocol) = HubProtocol::parse_name(&name).filter(is_enabled) else {
        return Err(format!("The protocol '{name}' is not supported."));
    };
    if !(0..=2).contains(&version) {
        return Err(format!(
            "The server does not support version {version} of the '{name}' protocol."
        ));
    }
    let mut transport = lock(&connection.transport);
    if protocol.is_binary() && transport.kind == Some(TransportKind::ServerSentEvents) {
        return Err(format!(
            "Cannot use the '{}' protocol on the current transport. \
             The transport does not support 'Binary' transfer format.",
            protocol.name()
        ));
    }
    // Acknowledgements came with version 2 of the protocol.
    transport.stateful &= version >= 2 && transport.kind == Some(TransportKind::WebSockets);
    let stateful = transport.stateful;
    drop(transport);
    if stateful {
        connection.outbox.enable_replay(options.replay_bytes_max);
    }
    Ok(Opened { protocol, rest, stateful })
}
