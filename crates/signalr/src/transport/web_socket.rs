//! Carries a connection over a WebSocket.
//!
//! One task per socket moves frames both ways. It reads only while the inbox has room and writes in batches, so a
//! client that does neither holds a bounded amount of memory.

use axum::extract::WebSocketUpgrade;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use axum::response::Response;
use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};
use tokio::time::{Duration, timeout};

use super::routes::Attached;
use crate::connection::{HubConnection, Inbound, Taken, TransportEnd};
use crate::message::Frame;
use crate::options::HubOptions;

/// What one write may take from the outbox.
const BATCH_BYTES_MAX: usize = 16 * 1024;
/// What one read takes from the network; every idle socket holds as much.
const READ_BUFFER_BYTES: usize = 2 * 1024;
/// How long a client may take to answer the end of a socket.
const CLOSE_PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn respond(
    options: &HubOptions,
    upgrade: WebSocketUpgrade,
    attached: Attached,
) -> Response {
    // A frame may hold several messages, each of which may be as large as a message may be.
    let bytes_max = options.receive_message_bytes_max.saturating_mul(4).max(64 * 1024);
    let send_timeout = options.send_timeout;
    let lost = Attached { connection: attached.connection.clone(), ..attached };
    upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(BATCH_BYTES_MAX)
        .max_message_size(bytes_max)
        .max_frame_size(bytes_max)
        .on_failed_upgrade(move |error| {
            tracing::debug!(%error, "a WebSocket could not be opened");
            lost.connection.detach(lost.generation, TransportEnd::Lost);
        })
        .on_upgrade(move |socket| async move {
            let Attached { connection, generation, .. } = attached;
            let end = carry(&connection, generation, socket, send_timeout).await;
            connection.detach(generation, end);
        })
}

/// Moves frames until either side ends.
async fn carry(
    connection: &HubConnection,
    generation: u64,
    mut socket: WebSocket,
    send_timeout: Duration,
) -> TransportEnd {
    let mut batch = Vec::new();
    let mut reads = true;
    loop {
        tokio::select! {
            taken = connection.next_frames(generation, &mut batch, BATCH_BYTES_MAX) => match taken {
                Taken::Frames | Taken::Nothing => {
                    if !write(&mut socket, &mut batch, send_timeout).await {
                        return TransportEnd::Lost;
                    }
                }
                Taken::Finished => {
                    close(socket, send_timeout).await;
                    return TransportEnd::Closed;
                }
                Taken::Replaced => return TransportEnd::Lost,
            },
            message = next_message(connection, &mut socket), if reads => {
                match received(connection, message) {
                    Received::Taken => {}
                    // The client still hears why.
                    Received::Oversize => reads = false,
                    Received::Ended(end) => {
                        if matches!(end, TransportEnd::Closed) {
                            read_to_end(&mut socket).await;
                        }
                        return end;
                    }
                }
            }
        }
    }
}

async fn next_message(
    connection: &HubConnection,
    socket: &mut WebSocket,
) -> Option<Result<Message, axum::Error>> {
    connection.inbox.room().await;
    socket.next().await
}

/// What a message of the socket means for it.
enum Received {
    Taken,
    /// The socket cannot be read further, because the rest of the message is in the way.
    Oversize,
    Ended(TransportEnd),
}

fn received(connection: &HubConnection, message: Option<Result<Message, axum::Error>>) -> Received {
    let data = match message {
        Some(Ok(Message::Text(text))) => Bytes::from(text),
        Some(Ok(Message::Binary(bytes))) => bytes,
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => return Received::Taken,
        Some(Ok(Message::Close(_))) => return Received::Ended(TransportEnd::Closed),
        Some(Err(error)) if is_oversize(&error) => {
            connection.inbox.push(Inbound::Oversize);
            return Received::Oversize;
        }
        Some(Err(_)) | None => return Received::Ended(TransportEnd::Lost),
    };
    // A connection that has ended takes no more, and its last frames are about to be sent.
    connection.inbox.push(Inbound::Data(data));
    Received::Taken
}

/// Whether the message was longer than the socket collects. The library has no other sign of it than its text.
fn is_oversize(error: &axum::Error) -> bool {
    error.to_string().contains("too long")
}

/// Writes everything and flushes once. False: the network does not take it.
async fn write(socket: &mut WebSocket, batch: &mut Vec<Frame>, send_timeout: Duration) -> bool {
    let writing = async {
        for frame in batch.drain(..) {
            socket.feed(frame.into_message()).await?;
        }
        socket.flush().await
    };
    matches!(timeout(send_timeout, writing).await, Ok(Ok(())))
}

/// Ends the socket in order and reads on until the client has too, so that its last frames are not cut off by a reset.
async fn close(mut socket: WebSocket, send_timeout: Duration) {
    let frame = CloseFrame { code: close_code::NORMAL, reason: "".into() };
    let sending = socket.send(Message::Close(Some(frame)));
    if matches!(timeout(send_timeout, sending).await, Ok(Ok(()))) {
        read_to_end(&mut socket).await;
    }
}

/// Reads until the socket has ended. The library answers the close of a client while it is read: without this, a client
/// that closes in order would see its connection cut. A client that does not answer ours is cut off.
async fn read_to_end(socket: &mut WebSocket) {
    let reading = async { while let Some(Ok(_)) = socket.next().await {} };
    let _ = timeout(CLOSE_PATIENCE, reading).await;
}
