//! Carries a connection to the client by requests that wait for data. The client sends by requests of its own.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, EXPIRES, PRAGMA};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use tokio::time::timeout;

use super::routes::Attached;
use crate::connection::{Taken, TransportEnd};
use crate::delivery::HubShared;

/// What one poll may take from the outbox.
const BATCH_BYTES_MAX: usize = 64 * 1024;

pub(super) async fn respond(shared: &HubShared, attached: Attached) -> Response {
    let poll = Poll { attached };
    let Attached { connection, generation, first } = &poll.attached;
    // The first poll only opens the connection; the client sends its handshake when it is answered.
    if *first {
        return answer(StatusCode::OK, "text/plain", Vec::new());
    }
    let mut batch = Vec::new();
    let taking = connection.next_frames(*generation, &mut batch, BATCH_BYTES_MAX);
    match timeout(shared.options.poll_timeout, taking).await {
        Err(_) => answer(StatusCode::OK, "text/plain", Vec::new()),
        Ok(Taken::Finished) => {
            shared.sessions.remove(connection);
            answer(StatusCode::NO_CONTENT, "text/plain", Vec::new())
        }
        Ok(Taken::Replaced) => answer(StatusCode::NO_CONTENT, "text/plain", Vec::new()),
        Ok(Taken::Frames | Taken::Nothing) => {
            let bytes = batch.iter().flat_map(|frame| frame.as_bytes()).copied().collect();
            answer(StatusCode::OK, "application/octet-stream", bytes)
        }
    }
}

/// A request that waits. When it ends, the time until the next one starts.
struct Poll {
    attached: Attached,
}

impl Drop for Poll {
    fn drop(&mut self) {
        self.attached.connection.detach(self.attached.generation, TransportEnd::Lost);
    }
}

fn answer(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Response {
    let mut response = (status, [(CONTENT_TYPE, content_type)], body).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
    headers.insert(EXPIRES, HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT"));
    response
}
