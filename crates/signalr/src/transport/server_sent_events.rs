//! Carries a connection to the client as Server-Sent Events. The client sends by requests of its own.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures::stream;

use super::routes::Attached;
use crate::connection::{Taken, TransportEnd};
use crate::message::Frame;

/// What one write may take from the outbox.
const BATCH_BYTES_MAX: usize = 16 * 1024;

pub(super) fn respond(attached: Attached) -> Response {
    let carried = Carried { attached };
    let events = stream::unfold((carried, Vec::new()), |(carried, mut batch)| async move {
        let Attached { connection, generation, .. } = &carried.attached;
        match connection.next_frames(*generation, &mut batch, BATCH_BYTES_MAX).await {
            Taken::Frames | Taken::Nothing => {}
            Taken::Finished | Taken::Replaced => return None,
        }
        let mut text = Vec::new();
        for frame in batch.drain(..) {
            write_event(&mut text, &frame);
        }
        Some((Ok::<_, std::convert::Infallible>(Bytes::from(text)), (carried, batch)))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache, no-store")];
    (headers, Body::from_stream(events)).into_response()
}

/// Ends the connection when the response is dropped: the client has gone, or everything was sent.
struct Carried {
    attached: Attached,
}

impl Drop for Carried {
    fn drop(&mut self) {
        self.attached.connection.detach(self.attached.generation, TransportEnd::Closed);
    }
}

/// One event. A line break in the data would end its line, so each line is one of its own.
fn write_event(text: &mut Vec<u8>, frame: &Frame) {
    for line in frame.as_bytes().split(|byte| *byte == b'\n') {
        text.extend_from_slice(b"data: ");
        text.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"\r\n");
}
