//! A fake mail relay, for tests and demonstrations, without TLS: the few commands that a client needs, with a login,
//! and scripted replies by stage.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::settings::{SmtpSecurity, SmtpSettings};
use crate::settings::Secret;

const USERNAME: &str = "demo";
const PASSWORD: &str = "demo password of the fake relay";

/// A running fake relay; it stops when it is dropped.
pub struct FakeSmtp {
    port: u16,
    state: Arc<Mutex<SmtpState>>,
    accepting: AbortHandle,
}

/// A mail that the relay accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedMail {
    /// Envelope sender.
    pub from: String,
    /// Envelope recipient.
    pub to: String,
    /// Headers and text.
    pub text: String,
}

/// The stage of a conversation that a scripted action is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpStage {
    /// The greeting.
    Greeting,
    /// After `AUTH`.
    Login,
    /// After `MAIL FROM`.
    Sender,
    /// After `RCPT TO`.
    Recipient,
    /// After the message text.
    Text,
}

#[derive(Clone, Debug)]
enum SmtpAction {
    Reply(String),
    Drop,
    Hold(ResponseGate),
}

#[derive(Default)]
struct SmtpState {
    actions: VecDeque<(SmtpStage, SmtpAction)>,
    mails: Vec<ReceivedMail>,
    conversations: u64,
}

/// Holds responses back until it is opened; then it stays open.
#[derive(Clone, Debug)]
pub struct ResponseGate {
    open: Arc<watch::Sender<bool>>,
}

impl Default for ResponseGate {
    fn default() -> Self {
        Self { open: Arc::new(watch::Sender::new(false)) }
    }
}

impl ResponseGate {
    /// Opens the gate.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until it is open.
    pub async fn wait_until_open(&self) {
        // The sender is in `self`, so waiting cannot fail.
        let _ = self.open.subscribe().wait_for(|open| *open).await;
    }
}

/// The conversation ended before QUIT.
struct ConversationClosed;

impl From<io::Error> for ConversationClosed {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl FakeSmtp {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// There is no port to listen on.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(Mutex::new(SmtpState::default()));
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state))).abort_handle();
        Ok(Self { port, state, accepting })
    }

    /// Settings that direct mail to this relay.
    #[must_use]
    pub fn settings(&self) -> SmtpSettings {
        SmtpSettings {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            security: SmtpSecurity::None,
            username: USERNAME.to_owned(),
            password: Secret::new(PASSWORD),
            from: "Demo <demo@example.org>".to_owned(),
            ..SmtpSettings::default()
        }
    }

    /// Replies with this line at that stage, once.
    pub fn next_reply(&self, stage: SmtpStage, line: &str) {
        lock(&self.state).actions.push_back((stage, SmtpAction::Reply(line.to_owned())));
    }

    /// Drops the connection at that stage, once.
    pub fn next_drop(&self, stage: SmtpStage) {
        lock(&self.state).actions.push_back((stage, SmtpAction::Drop));
    }

    /// Does not reply at that stage until the gate is opened, once.
    pub fn next_hold(&self, stage: SmtpStage, gate: &ResponseGate) {
        lock(&self.state).actions.push_back((stage, SmtpAction::Hold(gate.clone())));
    }

    /// All accepted mails so far.
    #[must_use]
    pub fn mails(&self) -> Vec<ReceivedMail> {
        lock(&self.state).mails.clone()
    }

    /// The number of connections opened so far.
    #[must_use]
    pub fn conversations(&self) -> u64 {
        lock(&self.state).conversations
    }
}

impl Drop for FakeSmtp {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn lock(state: &Mutex<SmtpState>) -> MutexGuard<'_, SmtpState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, state: Arc<Mutex<SmtpState>>) {
    let mut running = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while running.try_join_next().is_some() {}
        lock(&state).conversations += 1;
        let conversation = Conversation {
            stream: BufReader::new(stream),
            state: Arc::clone(&state),
            is_logged_in: false,
            mail: None,
        };
        running.spawn(conversation.run());
    }
}

struct Conversation {
    stream: BufReader<TcpStream>,
    state: Arc<Mutex<SmtpState>>,
    is_logged_in: bool,
    mail: Option<ReceivedMail>,
}

impl Conversation {
    async fn run(mut self) {
        // However it ends, accepted mails are recorded.
        let _ = self.converse().await;
    }

    async fn converse(&mut self) -> Result<(), ConversationClosed> {
        self.reply_at(SmtpStage::Greeting, "220 relay ready").await?;
        loop {
            let line = self.read_line().await?;
            let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match verb.to_ascii_uppercase().as_str() {
                "EHLO" => {
                    self.send_line("250-relay\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN")
                        .await?;
                }
                "AUTH" => self.login(rest).await?,
                "MAIL" => self.sender(rest).await?,
                "RCPT" => self.recipient(rest).await?,
                "DATA" => self.text().await?,
                "RSET" | "NOOP" => self.send_line("250 ok").await?,
                "QUIT" => return Ok(self.send_line("221 bye").await?),
                _ => self.send_line("502 not here").await?,
            }
        }
    }

    async fn login(&mut self, rest: &str) -> Result<(), ConversationClosed> {
        let expected = STANDARD.encode(format!("\0{USERNAME}\0{PASSWORD}"));
        self.is_logged_in = rest == format!("PLAIN {expected}");
        let reply = if self.is_logged_in { "235 2.7.0 known" } else { "535 5.7.8 unknown" };
        self.reply_at(SmtpStage::Login, reply).await
    }

    async fn sender(&mut self, rest: &str) -> Result<(), ConversationClosed> {
        if !self.is_logged_in {
            return Ok(self.send_line("530 5.7.0 log in first").await?);
        }
        let mail = ReceivedMail { from: address(rest), to: String::new(), text: String::new() };
        self.mail = Some(mail);
        self.reply_at(SmtpStage::Sender, "250 2.1.0 ok").await
    }

    async fn recipient(&mut self, rest: &str) -> Result<(), ConversationClosed> {
        match &mut self.mail {
            Some(mail) => mail.to = address(rest),
            None => return Ok(self.send_line("503 5.5.1 who is it from?").await?),
        }
        self.reply_at(SmtpStage::Recipient, "250 2.1.5 ok").await
    }

    async fn text(&mut self) -> Result<(), ConversationClosed> {
        self.send_line("354 go on").await?;
        let mut text = String::new();
        loop {
            let line = self.read_line().await?;
            if line == "." {
                break;
            }
            // A leading dot was doubled by the client (RFC 5321, 4.5.2).
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
            text.push_str("\r\n");
        }
        match self.next_action(SmtpStage::Text).await? {
            Some(reply) => Ok(self.send_line(&reply).await?),
            None => {
                if let Some(mut mail) = self.mail.take() {
                    mail.text = text;
                    lock(&self.state).mails.push(mail);
                }
                Ok(self.send_line("250 2.0.0 taken").await?)
            }
        }
    }

    async fn reply_at(&mut self, stage: SmtpStage, usual: &str) -> Result<(), ConversationClosed> {
        let scripted = self.next_action(stage).await?;
        Ok(self.send_line(scripted.as_deref().unwrap_or(usual)).await?)
    }

    /// The scripted reply of this stage, if the next scripted action is for it.
    async fn next_action(
        &mut self,
        stage: SmtpStage,
    ) -> Result<Option<String>, ConversationClosed> {
        let action = {
            let mut state = lock(&self.state);
            // Only the first action counts: the script is an order of events, not a set of rules.
            let is_due = state.actions.front().is_some_and(|(due, _)| *due == stage);
            is_due.then(|| state.actions.pop_front()).flatten()
        };
        match action {
            Some((_, SmtpAction::Reply(line))) => Ok(Some(line)),
            Some((_, SmtpAction::Drop)) => Err(ConversationClosed),
            Some((_, SmtpAction::Hold(gate))) => {
                gate.wait_until_open().await;
                Ok(None)
            }
            None => Ok(None),
        }
    }

    async fn send_line(&mut self, line: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(format!("{line}\r\n").as_bytes()).await
    }

    async fn read_line(&mut self) -> Result<String, ConversationClosed> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(ConversationClosed);
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// The address in angle brackets.
fn address(rest: &str) -> String {
    let inner = rest.split_once('<').and_then(|(_, inner)| inner.split_once('>'));
    inner.map_or("", |(address, _)| address).to_owned()
}
