//! The baseline server: plain hyper that answers every request with one recorded response.
//!
//! Same bytes, headers and runtime as the gateway; it reads each request to its end and ignores it.

use std::convert::Infallible;
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, DATE, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{HeaderMap, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

use super::framing::ResponseFrame;
use crate::{Error, Result};

/// The recorded response.
#[derive(Clone)]
struct RecordedResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// Serves a response recorded in a file, until killed.
pub(super) fn serve(recorded: &Path, out: &mut impl Write) -> Result<()> {
    let recorded = RecordedResponse::parse(&std::fs::read(recorded)?)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        writeln!(out, "{}", listener.local_addr()?)?;
        out.flush()?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let recorded = recorded.clone();
            let service = service_fn(move |request| respond(recorded.clone(), request));
            tokio::spawn(async move {
                let builder = auto::Builder::new(TokioExecutor::new());
                let connection = builder.serve_connection(TokioIo::new(stream), service);
                // The client has disconnected.
                let _ = connection.await;
            });
        }
    })
}

async fn respond(
    recorded: RecordedResponse,
    request: hyper::Request<Incoming>,
) -> std::result::Result<Response<Full<Bytes>>, Infallible> {
    // A client that sends half a body has disconnected.
    let _ = request.into_body().collect().await;
    let mut response = Response::new(Full::new(recorded.body));
    *response.status_mut() = recorded.status;
    *response.headers_mut() = recorded.headers;
    Ok(response)
}

impl RecordedResponse {
    fn parse(text: &[u8]) -> Result<Self> {
        let frame = ResponseFrame::find(text)?.ok_or_else(|| Error::from("half a response"))?;
        let (head, body) = text.split_at(frame.head_bytes);
        let mut headers = HeaderMap::new();
        for line in std::str::from_utf8(head)?.lines().skip(1) {
            let Some((name, value)) = line.split_once(':') else { continue };
            let name = HeaderName::try_from(name)?;
            // Hyper writes these two itself, in both servers.
            if name != DATE && name != CONTENT_LENGTH {
                headers.append(name, HeaderValue::try_from(value.trim())?);
            }
        }
        let body = Bytes::copy_from_slice(body);
        Ok(Self { status: StatusCode::from_u16(frame.status)?, headers, body })
    }
}
