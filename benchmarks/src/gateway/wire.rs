//! Requests as bytes, and single requests outside measurements.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::framing::{ResponseFrame, header};
use super::signature::{SignedRequest, Signer};
use crate::{Error, Result};

/// Timeout of a request outside a measurement.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A request before it is bytes.
pub(super) struct RawRequest<'request> {
    pub(super) signed: SignedRequest<'request>,
    pub(super) path: &'request str,
    pub(super) headers: &'request [(&'request str, &'request str)],
    pub(super) body: &'request [u8],
}

impl RawRequest<'_> {
    /// Appends the request in HTTP/1.1 form.
    pub(super) fn write_to(&self, bytes: &mut Vec<u8>, host: &str, signer: &Signer) {
        let verb = self.signed.verb;
        let mut head = format!("{verb} {} HTTP/1.1\r\nhost: {host}\r\n", self.path);
        let authorization = signer.authorization(&self.signed);
        for (name, value) in [
            ("authorization", authorization.as_str()),
            ("x-ms-date", signer.date()),
            ("x-ms-version", "2020-07-15"),
            ("accept", "application/json"),
            ("user-agent", "planisphere-benchmarks"),
        ] {
            head += &format!("{name}: {value}\r\n");
        }
        for (name, value) in self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if verb != "GET" {
            head += &format!("content-length: {}\r\n", self.body.len());
        }
        head += "\r\n";
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(self.body);
    }
}

/// The response of a server.
#[derive(Clone, Debug)]
pub(super) struct RawResponse {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

/// Sends a request on a new connection.
pub(super) fn send(address: SocketAddr, request: &[u8]) -> Result<RawResponse> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(request)?;
    let (mut buffer, mut part) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        if let Some(frame) = ResponseFrame::find(&buffer)? {
            let (head, body) = buffer.split_at(frame.head_bytes);
            let head = String::from_utf8_lossy(head).into_owned();
            let body = body.get(..frame.bytes - frame.head_bytes).unwrap_or_default().to_vec();
            return Ok(RawResponse { status: frame.status, head, body });
        }
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Err("the server hung up in the middle of an answer".into());
        }
        buffer.extend_from_slice(part.get(..count).unwrap_or_default());
    }
}

/// A signer with the time of the server.
pub(super) fn signer(address: SocketAddr, key: &str) -> Result<Signer> {
    let answer = send(address, format!("GET / HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes())?;
    let date = header(&answer.head, "date");
    Signer::new(key, date.ok_or_else(|| Error::from("the response has no date header"))?)
}
