//! Opens the chat for operator commands, and explains its errors.

use chat::{Chat, ChatParts, ChatSettings, ErrorKind};
use clap::Args;
use client::Account;

use super::configuration::ChatCommandSettings;
use crate::account_location::MissingStore;
use crate::command::system::{OpenedAccount, OperatorFlags};
use crate::error::CommandError;

/// The account and the settings of an operator command.
#[derive(Debug, Args)]
pub(super) struct ChatFlags {
    #[command(flatten)]
    operator: OperatorFlags,
}

/// The opened chat.
pub(super) struct OpenChat {
    pub(super) chat: Chat,
    account: OpenedAccount,
}

impl ChatFlags {
    /// Opens the chat in an existing account. Nothing is created, and no time to live is changed.
    pub(super) async fn open(&self) -> Result<OpenChat, CommandError> {
        self.open_or(MissingStore::Refuse, false).await
    }

    /// The same; creates what is missing.
    pub(super) async fn create(&self) -> Result<OpenChat, CommandError> {
        self.open_or(MissingStore::Create, true).await
    }

    async fn open_or(
        &self,
        missing: MissingStore,
        creates: bool,
    ) -> Result<OpenChat, CommandError> {
        let mut settings = self.operator.settings::<ChatCommandSettings>()?.chat;
        settings.cosmos.auto_create = creates;
        // Operator commands sign nobody in and send no codes.
        settings.chat.development = true;
        let account = self.operator.open(missing).await?;
        let chat = open_chat(account.account.clone(), settings, ChatParts::default()).await?;
        Ok(OpenChat { chat, account })
    }
}

impl OpenChat {
    /// Closes the account, whether or not the work succeeded.
    pub(super) async fn close<T>(self, done: Result<T, CommandError>) -> Result<T, CommandError> {
        self.account.close(done).await
    }
}

/// Opens the chat on an account.
pub(super) async fn open_chat(
    account: Account,
    settings: ChatSettings,
    parts: ChatParts,
) -> Result<Chat, CommandError> {
    let environment = account.environment().clone();
    let opened = Chat::open(account, settings, environment, parts).await;
    opened.map_err(|error| chat_error("opening the chat", &error))
}

/// Converts an error of the chat.
pub(super) fn chat_error(what: &str, error: &chat::Error) -> CommandError {
    if let Some(data) = error.data_error() {
        return CommandError::from_error(what, data);
    }
    let hint = match error.kind() {
        ErrorKind::Invalid => "Correct it and run it again",
        ErrorKind::SignInRefused => "Ask for a new code",
        ErrorKind::Forbidden => "Give the user the room with `planisphere chat users rooms`",
        ErrorKind::NotFound => {
            "List what there is with `planisphere chat rooms list` and `users list`"
        }
        ErrorKind::Conflict => "Choose another name, or change what exists",
        ErrorKind::Limited => "Wait a moment",
        ErrorKind::Unavailable => "Try again",
        ErrorKind::Internal => "This is a bug; please report it",
    };
    CommandError::new(what, error.to_string()).hint(hint)
}
