//! One connection to the server, without an HTTP library: what was sent and what was lost must be known exactly.
//!
//! Owns the bytes of requests and responses. Does not own their meaning: see `operation`.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use engine::{Clock, SystemClock};
use gateway::{AccountKey, sign_request};
use model::Json;

/// A request that is not answered by then is a hang. The longest stop of the server is far below.
const ANSWER_MAX: Duration = Duration::from_secs(120);

/// What became of a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Answer(Answer),
    /// Nobody listened, so that the server has not seen it.
    NotSent,
    /// The connection ended before the response.
    Lost,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Result<Json, String> {
        Json::parse(&self.body).map_err(|error| format!("{error} in {self:?}"))
    }

    /// The entries of a feed.
    pub(crate) fn documents(&self) -> Result<Vec<Json>, String> {
        let json = self.json()?;
        let documents = json.get("Documents").and_then(Json::as_array);
        Ok(documents.ok_or_else(|| format!("no documents in {self:?}"))?.to_vec())
    }
}

/// One request.
pub(crate) struct Request<'a> {
    pub(crate) verb: &'static str,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a str,
}

/// A connection that is opened when it is needed.
pub(crate) struct Connection {
    port: u16,
    key: AccountKey,
    stream: Option<BufReader<TcpStream>>,
}

impl Connection {
    pub(crate) fn new(port: u16) -> Self {
        Self { port, key: AccountKey::emulator(), stream: None }
    }

    /// Sends a request and waits for its response. A hang is an error of the server.
    pub(crate) fn send(&mut self, request: &Request<'_>) -> Result<Reply, String> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => match TcpStream::connect(("127.0.0.1", self.port)) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(ANSWER_MAX)).map_err(|error| error.to_string())?;
                    stream.set_nodelay(true).map_err(|error| error.to_string())?;
                    BufReader::new(stream)
                }
                Err(_) => return Ok(Reply::NotSent),
            },
        };
        if stream.get_mut().write_all(&self.encode(request)).is_err() {
            return Ok(Reply::Lost);
        }
        match read_answer(&mut stream) {
            Ok(answer) => {
                if answer.header("connection") != Some("close") {
                    self.stream = Some(stream);
                }
                Ok(Reply::Answer(answer))
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                let (verb, path) = (request.verb, request.path);
                Err(format!("{verb} {path} was not answered in {} s", ANSWER_MAX.as_secs()))
            }
            Err(_) => Ok(Reply::Lost),
        }
    }

    /// A request that must be answered.
    pub(crate) fn ask(&mut self, request: &Request<'_>) -> Result<Answer, String> {
        match self.send(request)? {
            Reply::Answer(answer) => Ok(answer),
            lost => Err(format!("{} {}: {lost:?}", request.verb, request.path)),
        }
    }

    fn encode(&self, request: &Request<'_>) -> Vec<u8> {
        let Request { verb, path, headers, body } = request;
        let mut text = format!("{verb} {path} HTTP/1.1\r\nhost: localhost:{}\r\n", self.port);
        text += "x-ms-version: 2020-07-15\r\n";
        let signed = sign_request(&self.key, verb, path, SystemClock.now().seconds().0);
        for (name, value) in &signed {
            text += &format!("{name}: {value}\r\n");
        }
        for (name, value) in *headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("content-length: {}\r\n\r\n{body}", body.len());
        text.into_bytes()
    }
}

fn read_answer(stream: &mut BufReader<TcpStream>) -> std::io::Result<Answer> {
    let mut line = || {
        let mut line = String::new();
        match stream.read_line(&mut line)? {
            0 => Err(std::io::Error::from(ErrorKind::UnexpectedEof)),
            _ => Ok(line.trim_end().to_owned()),
        }
    };
    let status = line()?.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::from(ErrorKind::InvalidData))?;
    let mut headers = Vec::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut answer = Answer { status, headers, body: Vec::new() };
    assert!(answer.header("transfer-encoding").is_none(), "this client knows lengths only");
    let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
    let has_body = !matches!(status, 204 | 304);
    answer.body = vec![0; if has_body { length } else { 0 }];
    stream.read_exact(&mut answer.body)?;
    Ok(answer)
}
