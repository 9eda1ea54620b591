//! GOAWAY on a connection before any of its requests is processed.
//!
//! The few HTTP/2 frames are written by hand, because a server library only shuts down after the requests it has read.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PREFACE_BYTES: usize = 24;
const FRAME_HEADER_BYTES: usize = 9;
const HEADERS: u8 = 1;
/// An empty SETTINGS frame on stream 0.
const SETTINGS: [u8; FRAME_HEADER_BYTES] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const REASON: &[u8] = br#"{"reason":"Shutdown"}"#;

/// Waits for the first request, sends GOAWAY that declares it as not processed, and closes the connection.
pub(super) async fn send_goaway(mut stream: TcpStream) {
    // A client that disconnects early needs no GOAWAY.
    let _ = wait_and_refuse(&mut stream).await;
}

async fn wait_and_refuse(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(&SETTINGS).await?;
    let mut preface = [0; PREFACE_BYTES];
    stream.read_exact(&mut preface).await?;
    loop {
        let mut head = [0; FRAME_HEADER_BYTES];
        stream.read_exact(&mut head).await?;
        let [high, middle, low, kind, ..] = head;
        let mut payload =
            vec![0; usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low)];
        stream.read_exact(&mut payload).await?;
        if kind == HEADERS {
            break;
        }
    }
    stream.write_all(&goaway_frame()).await?;
    stream.shutdown().await?;
    // Closing with unread bytes would reset the connection, and the client could lose the frame.
    tokio::io::copy(stream, &mut tokio::io::sink()).await?;
    Ok(())
}

/// GOAWAY without an error, naming stream 0 as the last one processed.
fn goaway_frame() -> Vec<u8> {
    const LAST_STREAM_AND_CODE: [u8; 8] = [0; 8];
    let length = u8::try_from(LAST_STREAM_AND_CODE.len() + REASON.len()).unwrap_or(u8::MAX);
    let mut frame = vec![0, 0, length, 7, 0, 0, 0, 0, 0];
    frame.extend_from_slice(&LAST_STREAM_AND_CODE);
    frame.extend_from_slice(REASON);
    frame
}
