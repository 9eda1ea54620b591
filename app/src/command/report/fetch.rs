//! Asking a running server for its usage: one signed GET over plain HTTP.
//!
//! Owns the connection and its few failures. HTTPS is not spoken here.

use std::time::Duration;

use engine::{Clock, SystemClock};
use gateway::{AccountKey, sign_get_request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::failure::Failure;

const PATH: &str = "/_planisphere/usage";
const TIME_MAX: Duration = Duration::from_secs(30);

/// The document of usage as text.
pub(super) async fn fetch(endpoint: &str, key: &AccountKey) -> Result<Vec<u8>, Failure> {
    let what = || format!("asking {endpoint}");
    let Some(authority) = endpoint.strip_prefix("http://") else {
        let failure = Failure::new(what(), "only addresses that begin with http:// can be asked");
        return Err(failure.way_out(
            "Use --data on the folder of the server, or fetch /_planisphere/report with a signed request",
        ));
    };
    let authority = authority.trim_end_matches('/');
    let address = match authority.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => authority.to_owned(),
        _ => format!("{authority}:80"),
    };
    let talk = tokio::time::timeout(TIME_MAX, talk(&address, authority, key));
    let answer = match talk.await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            return Err(Failure::new(what(), error.to_string())
                .way_out("Start a server with `planisphere serve`, or give its --endpoint"));
        }
        Err(_) => return Err(Failure::new(what(), "no answer in 30 seconds").way_out("Try again")),
    };
    body_of(&answer).map_err(|why| {
        Failure::new(what(), why)
            .way_out("Give the server's --key, and check that it is planisphere")
    })
}

async fn talk(address: &str, authority: &str, key: &AccountKey) -> std::io::Result<Vec<u8>> {
    let now = SystemClock.now().seconds().0;
    let mut request = format!("GET {PATH} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n");
    for (name, value) in sign_get_request(key, PATH, now) {
        request += &format!("{name}: {value}\r\n");
    }
    request += "\r\n";
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

/// The body of an answer of success; otherwise what the server said.
fn body_of(answer: &[u8]) -> Result<Vec<u8>, String> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let (head, body) = match end.and_then(|end| answer.split_at_checked(end)) {
        Some((head, rest)) => (head, rest.get(4..).unwrap_or_default()),
        None => return Err("the answer is not HTTP".to_owned()),
    };
    let first = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let status = String::from_utf8_lossy(first);
    if status.split(' ').nth(1) == Some("200") {
        return Ok(body.to_vec());
    }
    let said = String::from_utf8_lossy(body);
    let said: String = said.chars().take(300).collect();
    Err(format!("it answered {status}: {said}"))
}

#[cfg(test)]
mod tests {
    use super::body_of;

    #[test]
    fn a_body_is_found_and_a_refusal_is_told() {
        assert_eq!(body_of(b"HTTP/1.1 200 OK\r\na: b\r\n\r\n{}"), Ok(b"{}".to_vec()));
        let refused = body_of(b"HTTP/1.1 401 Unauthorized\r\n\r\nno").unwrap_err();
        assert_eq!(refused, "it answered HTTP/1.1 401 Unauthorized: no");
        assert!(body_of(b"ssh").is_err());
    }
}
