//! A mail relay on this machine, without TLS.
//!
//! Owns the few commands of a relay, the login it may ask for and the refusals by stage. Does not own delivery to any
//! mailbox.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

use super::script::ResponseGate;
use crate::delivery::settings::{SmtpSecurity, SmtpSettings};
use service::settings::Secret;

const USERNAME: &str = "demo";
const PASSWORD: &str = "demo password of the fake relay";

/// A running relay; it ends when it is dropped.
pub struct FakeSmtp {
    port: u16,
    state: Arc<Mutex<SmtpState>>,
    accepting: AbortHandle,
}

/// A mail the relay took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedMail {
    /// Sender of the envelope.
    pub from: String,
    /// Addressee of the envelope.
    pub to: String,
    /// Headers and text, as they came.
    pub text: String,
}

/// Where in the conversation a script acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpStage {
    /// Before anything is said.
    Greeting,
    /// At the login.
    Login,
    /// At the sender.
    Sender,
    /// At the addressee.
    Addressee,
    /// After the text.
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
    acts: VecDeque<(SmtpStage, SmtpAction)>,
    mails: Vec<ReceivedMail>,
    conversations: u64,
}

/// Why a conversation is over before QUIT.
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

    /// NotificationSettings with which delivery comes here.
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

    /// Answers this line at that stage, once.
    pub fn next_reply(&self, stage: SmtpStage, line: &str) {
        lock(&self.state).acts.push_back((stage, SmtpAction::Reply(line.to_owned())));
    }

    /// Drops the connection at that stage, once.
    pub fn next_drop(&self, stage: SmtpStage) {
        lock(&self.state).acts.push_back((stage, SmtpAction::Drop));
    }

    /// Says nothing more at that stage until the gate opens, once.
    pub fn next_hold(&self, stage: SmtpStage, gate: &ResponseGate) {
        lock(&self.state).acts.push_back((stage, SmtpAction::Hold(gate.clone())));
    }

    /// Every mail taken so far.
    #[must_use]
    pub fn mails(&self) -> Vec<ReceivedMail> {
        lock(&self.state).mails.clone()
    }

    /// How many connections were opened so far.
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
            is_known: false,
            mail: None,
        };
        running.spawn(conversation.run());
    }
}

struct Conversation {
    stream: BufReader<TcpStream>,
    state: Arc<Mutex<SmtpState>>,
    is_known: bool,
    mail: Option<ReceivedMail>,
}

impl Conversation {
    async fn run(mut self) {
        // However it ends, the mails taken so far are on record.
        let _ = self.converse().await;
    }

    async fn converse(&mut self) -> Result<(), ConversationClosed> {
        self.reply_at(SmtpStage::Greeting, "220 relay ready").await?;
        loop {
            let line = self.line().await?;
            let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match verb.to_ascii_uppercase().as_str() {
                "EHLO" => {
                    self.say("250-relay\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN").await?;
                }
                "AUTH" => self.login(rest).await?,
                "MAIL" => self.sender(rest).await?,
                "RCPT" => self.addressee(rest).await?,
                "DATA" => self.text().await?,
                "RSET" | "NOOP" => self.say("250 ok").await?,
                "QUIT" => return Ok(self.say("221 bye").await?),
                _ => self.say("502 not here").await?,
            }
        }
    }

    async fn login(&mut self, rest: &str) -> Result<(), ConversationClosed> {
        let expected = STANDARD.encode(format!("\0{USERNAME}\0{PASSWORD}"));
        self.is_known = rest == format!("PLAIN {expected}");
        let reply = if self.is_known { "235 2.7.0 known" } else { "535 5.7.8 unknown" };
        self.reply_at(SmtpStage::Login, reply).await
    }

    async fn sender(&mut self, rest: &str) -> Result<(), ConversationClosed> {
        if !self.is_known {
            return Ok(self.say("530 5.7.0 log in first").await?);
        }
        let mail = ReceivedMail { from: address(rest), to: String::new(), text: String::new() };
        self.mail = Some(mail);
        self.reply_at(SmtpStage::Sender, "250 2.1.0 ok").await
    }

    async fn addressee(&mut self, rest: &str) -> Result<(), ConversationClosed> {
        match &mut self.mail {
            Some(mail) => mail.to = address(rest),
            None => return Ok(self.say("503 5.5.1 who is it from?").await?),
        }
        self.reply_at(SmtpStage::Addressee, "250 2.1.5 ok").await
    }

    async fn text(&mut self) -> Result<(), ConversationClosed> {
        self.say("354 go on").await?;
        let mut text = String::new();
        loop {
            let line = self.line().await?;
            if line == "." {
                break;
            }
            // A leading dot is doubled on the way.
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
            text.push_str("\r\n");
        }
        match self.next_action(SmtpStage::Text).await? {
            Some(reply) => Ok(self.say(&reply).await?),
            None => {
                if let Some(mut mail) = self.mail.take() {
                    mail.text = text;
                    lock(&self.state).mails.push(mail);
                }
                Ok(self.say("250 2.0.0 taken").await?)
            }
        }
    }

    async fn reply_at(&mut self, stage: SmtpStage, usual: &str) -> Result<(), ConversationClosed> {
        let scripted = self.next_action(stage).await?;
        Ok(self.say(scripted.as_deref().unwrap_or(usual)).await?)
    }

    /// The scripted line of this stage, if the next respond_by_script is for it.
    async fn next_action(
        &mut self,
        stage: SmtpStage,
    ) -> Result<Option<String>, ConversationClosed> {
        let respond_by_script = {
            let mut state = lock(&self.state);
            let is_due = state.acts.front().is_some_and(|(due, _)| *due == stage);
            is_due.then(|| state.acts.pop_front()).flatten()
        };
        match respond_by_script {
            Some((_, SmtpAction::Reply(line))) => Ok(Some(line)),
            Some((_, SmtpAction::Drop)) => Err(ConversationClosed),
            Some((_, SmtpAction::Hold(gate))) => {
                gate.passed().await;
                Ok(None)
            }
            None => Ok(None),
        }
    }

    async fn say(&mut self, line: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(format!("{line}\r\n").as_bytes()).await
    }

    async fn line(&mut self) -> Result<String, ConversationClosed> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(ConversationClosed);
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// What stands in angle brackets.
fn address(rest: &str) -> String {
    let inner = rest.split_once('<').and_then(|(_, inner)| inner.split_once('>'));
    inner.map_or("", |(address, _)| address).to_owned()
}
