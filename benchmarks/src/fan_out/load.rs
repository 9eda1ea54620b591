//! The clients: the same sockets for every side, which differ only in how they join and send.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::report::RoomFigures;
use super::rooms::RoomBoard;
use crate::gateway::BenchServer;
use crate::meter::{cpu_of_process, now};
use crate::{Error, Result};

/// Messages of one room that may be under way.
const WINDOW: usize = 4;
/// Sockets that are opened at the same time.
const OPENING: usize = 64;
/// How long a whole measurement may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a side is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speech {
    /// JSON of SignalR.
    Hub,
    /// The letters of the bare servers.
    Bare,
    /// JSON of SignalR, with the methods of the chat.
    Chat,
}

/// The first message of SignalR.
const HANDSHAKE: &str = "{\"protocol\":\"json\",\"version\":1}\u{1e}";

type SocketSender = SplitSink<WebSocketStream<TcpStream>, Message>;
type SocketReceiver = SplitStream<WebSocketStream<TcpStream>>;

/// One socket.
pub(crate) struct RoomClient {
    sender: SocketSender,
    receiver: SocketReceiver,
}

impl Speech {
    async fn open(self, address: SocketAddr, path: String) -> Result<RoomClient> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let config = WebSocketConfig::default().read_buffer_size(4096).write_buffer_size(0);
        let url = format!("ws://{address}{path}");
        let (socket, _) = client_async_with_config(url, stream, Some(config)).await?;
        let (sender, receiver) = socket.split();
        let mut client = RoomClient { sender, receiver };
        match self {
            Self::Bare => {}
            Self::Hub => client.ask(HANDSHAKE, "{}").await?,
            // The profile, presence and the first room come before the answer to the first call.
            Self::Chat => {
                client.ask(HANDSHAKE, "{}").await?;
                let first = "{\"type\":1,\"invocationId\":\"h\",\"target\":\"Heartbeat\",\"arguments\":[]}\u{1e}";
                client.ask(first, "\"invocationId\":\"h\"").await?;
            }
        }
        Ok(client)
    }

    /// What joins a room, and what the answer to it contains.
    fn join(self, members: usize, room: usize) -> (String, &'static str) {
        let call = |name: String| {
            format!(
                "{{\"type\":1,\"invocationId\":\"j\",\"target\":\"Join\",\"arguments\":[\"{name}\"]}}\u{1e}"
            )
        };
        match self {
            Self::Hub => (call(format!("r{room}")), "\"invocationId\":\"j\""),
            Self::Chat => (call(format!("r{members}-{room}")), "\"invocationId\":\"j\""),
            Self::Bare => (format!("Jr{room}"), "J"),
        }
    }

    /// Receivers of every side get the same bytes: a bare server is given what a hub would send.
    fn say(self, room: usize, text: &str) -> String {
        match self {
            Self::Hub => format!(
                "{{\"type\":1,\"target\":\"Say\",\"arguments\":[\"r{room}\",\"{text}\"]}}\u{1e}"
            ),
            Self::Chat => format!(
                "{{\"type\":1,\"target\":\"SendMessage\",\"arguments\":[\"{text}\",null]}}\u{1e}"
            ),
            Self::Bare => format!(
                "Sr{room}\n{{\"type\":1,\"target\":\"m\",\"arguments\":[\"{text}\"]}}\u{1e}"
            ),
        }
    }

    /// Opens so many sockets; `path` is that of each by its number.
    pub(crate) async fn open_all(
        self,
        address: SocketAddr,
        count: usize,
        path: impl Fn(usize) -> String,
    ) -> Result<Vec<RoomClient>> {
        let mut clients = Vec::with_capacity(count);
        let mut opening = JoinSet::new();
        for number in 0..count {
            if opening.len() == OPENING
                && let Some(opened) = opening.join_next().await
            {
                clients.push(opened?);
            }
            let open = self.open(address, path(number));
            opening.spawn(async move { (number, open.await) });
        }
        while let Some(opened) = opening.join_next().await {
            clients.push(opened?);
        }
        // In the order of their numbers, not of their answers: a person may join only the rooms of its number.
        clients.sort_unstable_by_key(|(number, _)| *number);
        clients.into_iter().map(|(_, client)| client).collect()
    }
}

impl RoomClient {
    /// Sends and waits for the message with this text.
    async fn ask(&mut self, text: &str, answer: &str) -> Result<()> {
        self.sender.send(Message::text(text)).await?;
        loop {
            let received = timeout(PATIENCE, self.receiver.next()).await?;
            let received = received.ok_or_else(|| Error::from("the server ended a socket"))??;
            if matches!(&received, Message::Text(text) if text.contains(answer)) {
                return Ok(());
            }
        }
    }
}

/// Fills rooms of `members` and sends `messages` into each.
pub(crate) async fn measure(
    speech: Speech,
    server: &BenchServer,
    clients: Vec<RoomClient>,
    members: usize,
    messages: usize,
) -> Result<RoomFigures> {
    let rooms = clients.len() / members;
    let board = Arc::new(RoomBoard::new(rooms, members, messages, WINDOW));
    let process = server.process().to_string();
    let mut tasks = JoinSet::new();
    let mut senders = Vec::new();
    for (index, mut client) in clients.into_iter().enumerate() {
        let (call, answer) = speech.join(members, index / members);
        client.ask(&call, answer).await?;
        // It reads from now on: others who join are announced to it, and a server ends a connection that reads nothing.
        let board = Arc::clone(&board);
        let mut receiver = client.receiver;
        tasks.spawn(async move {
            while let Some(Ok(message)) = receiver.next().await {
                if let Message::Text(text) = message {
                    board.received(&text);
                }
            }
        });
        senders.push((index, client.sender));
    }
    let (started, cpu) = (now(), cpu_of_process(&process)?);
    // Kept until the end: a socket without its sending half would be closed.
    let mut silent = Vec::new();
    for (index, mut sender) in senders {
        let room = index / members;
        if index % members != 0 {
            silent.push(sender);
            continue;
        }
        let board = Arc::clone(&board);
        tasks.spawn(async move {
            for number in 0..messages {
                let Some(window) = board.windows.get(room) else { return };
                let Ok(permit) = window.acquire().await else { return };
                permit.forget();
                let text = speech.say(room, &board.sending(room, number));
                if sender.send(Message::text(text)).await.is_err() {
                    return;
                }
            }
            std::future::pending::<()>().await;
        });
    }
    timeout(PATIENCE, board.done.notified()).await.map_err(|_| "messages were lost")?;
    let wall = now().saturating_duration_since(started);
    let cpu = cpu_of_process(&process)?.saturating_sub(cpu);
    tasks.abort_all();
    let (p50, p99) = board.percentiles();
    let delivered = (rooms * members * messages) as u64;
    Ok(RoomFigures { members, delivered, wall, cpu, p50, p99 })
}
