//! The demonstration: the default rooms and people, with a few messages.
//!
//! Seeding the same folder again adds nothing.

use chat::{CHAT_ADMIN_ROLE, Chat, FeatureSettings, RoomName, SendRequest};
use service::identity::Identity;

use super::configuration::ChatCommandSettings;
use super::open::chat_error;
use crate::error::CommandError;

const ACTION: &str = "preparing the demonstration";

/// The people to sign in as.
const PEOPLE: [(&str, &[&str]); 2] =
    [("alice@example.com", &[CHAT_ADMIN_ROLE]), ("bob@example.com", &[])];

const MESSAGES: [(&str, &str, &str); 4] = [
    ("alice@example.com", "general", "Welcome! Open the second link in another window."),
    ("bob@example.com", "general", "Hi Alice, I can see your message."),
    ("alice@example.com", "general", "a < b and c > d stay as they are typed."),
    ("alice@example.com", "ops", "Bob does not see this room."),
];

/// The settings with everything switched on.
pub(super) fn settings(mut settings: ChatCommandSettings) -> ChatCommandSettings {
    settings.chat.chat.development = true;
    settings.chat.features = FeatureSettings::all();
    settings
}

/// Names and paths of sign-in links; none outside demo mode.
pub(super) fn links(identity: &Identity) -> Vec<(String, String)> {
    let link = |(name, roles): (&str, &[&str])| {
        Some((name.to_owned(), identity.sign_in_link(name, roles)?))
    };
    PEOPLE.into_iter().filter_map(link).collect()
}

/// Sends the first messages, each once.
pub(super) async fn send_messages(chat: &Chat) -> Result<(), CommandError> {
    let failed = |error| chat_error(ACTION, &error);
    for (number, (from, room, content)) in MESSAGES.into_iter().enumerate() {
        let member = chat.member(from).await.map_err(failed)?;
        let request = SendRequest {
            room: RoomName::parse(room).map_err(|why| CommandError::new(ACTION, why))?,
            content: content.to_owned(),
            correlation_id: Some(format!("demonstration-{number}")),
            reply_to: None,
        };
        chat.send(&member, request).await.map_err(failed)?;
    }
    Ok(())
}
