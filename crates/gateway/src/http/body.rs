//! Bodies of requests, parsed where they delay nobody.
//!
//! Owns the choice of the thread. Does not own any format: the caller passes the parser.

use bytes::Bytes;
use engine::Engine;

use super::error::ApiResult;

/// Parses a body; a large one on a thread, so that other requests are answered meanwhile.
pub(crate) async fn parse_on_thread<T: Send + 'static>(
    engine: &Engine,
    body: &Bytes,
    parse: impl FnOnce(&Bytes) -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    if !engine.is_large(body.len()) {
        return parse(body);
    }
    let body = body.clone();
    engine.run_long(move || parse(&body)).await?
}
