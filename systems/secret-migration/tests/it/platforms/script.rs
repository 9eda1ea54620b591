//! A server of the test: answers in order what a script says, and keeps what was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Answers in order, and keeps what was asked.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<(VecDeque<String>, Vec<String>)>>);

impl Script {
    pub(crate) fn answer(&self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        let text =
            format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
        self.raw(text);
    }

    pub(crate) fn raw(&self, text: String) {
        self.0.lock().unwrap().0.push_back(text);
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().1)
    }

    /// Starts a server with these answers; returns its address.
    pub(crate) async fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let script = self.clone();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                loop {
                    let read = socket.read(&mut buffer).await.unwrap_or(0);
                    request.extend_from_slice(&buffer[..read]);
                    let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
                    let Some(head) = text.find("\r\n\r\n") else {
                        if read == 0 {
                            break;
                        }
                        continue;
                    };
                    let length = text.split("content-length: ").nth(1);
                    let length: usize = length
                        .and_then(|rest| rest.split("\r\n").next()?.parse().ok())
                        .unwrap_or(0);
                    if read == 0 || request.len() >= head + 4 + length {
                        break;
                    }
                }
                let answer = {
                    let mut state = script.0.lock().unwrap();
                    state.1.push(String::from_utf8_lossy(&request).into_owned());
                    state.0.pop_front().unwrap_or_default()
                };
                // One request per connection: half of an answer ends with the connection.
                let answer = answer.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                socket.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        address
    }
}
