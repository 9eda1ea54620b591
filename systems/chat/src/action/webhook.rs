//! Incoming web hooks: a program posts into one room with a token.
//!
//! Only the hash of a token is stored, so who reads the container cannot post.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::ErrorKind as AccountErrorKind;
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use service::charge::ChargedValue;

use super::{SendRequest, SentMessage};
use crate::chat::{Chat, ChatCore};
use crate::domain::{RoomName, UserName};
use crate::error::{Error, ErrorKind, Result};

/// A hook as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IncomingHook {
    /// `hook-` and the hash of its token.
    pub id: String,
    /// Always `hook`.
    pub kind: String,
    /// Where it posts.
    pub room: RoomName,
    /// The name that its messages come from: `hook:{name}`.
    pub name: String,
}

impl Chat {
    /// Creates a hook and returns its token, which is not stored.
    ///
    /// # Errors
    /// `NotFound` for a missing room or if `Features:IncomingWebhook` is off, `Invalid` for a wrong name.
    pub async fn create_hook(&self, room: &RoomName, name: &str) -> Result<(IncomingHook, String)> {
        let core = &self.core;
        core.require_hooks()?;
        let sender = format!("hook:{name}");
        UserName::parse(&sender).map_err(|why| Error::invalid_field("name", why))?;
        if core.rooms.get_by_name(room).await?.value.is_none() {
            return Err(Error::not_found(format!("there is no room '{room}'")));
        }
        let mut bytes = [0; 32];
        let filled = SystemRandom::new().fill(&mut bytes);
        filled.map_err(|_| Error::internal("the operating system gives no random numbers"))?;
        let token = URL_SAFE_NO_PAD.encode(bytes);
        let hook = IncomingHook {
            id: hook_id(&token),
            kind: "hook".to_owned(),
            room: room.clone(),
            name: name.to_owned(),
        };
        core.containers.state.create(&hook.id.as_str().into(), &hook).await?;
        Ok((hook, token))
    }

    /// Posts with the token of a hook.
    ///
    /// # Errors
    /// `SignInRefused` for a token that is not known; those of [`Chat::send`].
    pub async fn post_by_hook(
        &self,
        token: &str,
        content: String,
        correlation_id: Option<String>,
    ) -> Result<ChargedValue<SentMessage>> {
        let core = &self.core;
        core.require_hooks()?;
        let id = hook_id(token);
        let hook = match core.containers.state.read::<IncomingHook>(&id.as_str().into(), &id).await
        {
            Ok(found) => found.value.value,
            Err(error) if error.kind() == AccountErrorKind::NotFound => {
                return Err(Error::new(
                    ErrorKind::SignInRefused,
                    "the token of the hook is not known",
                ));
            }
            Err(error) => return Err(error.into()),
        };
        let from = UserName::parse(&format!("hook:{}", hook.name)).map_err(Error::internal)?;
        core.permit_message(&from).await?;
        let room = core.directory.room(&hook.room).await?;
        let room =
            room.ok_or_else(|| Error::not_found(format!("there is no room '{}'", hook.room)))?;
        let request = SendRequest { room: hook.room, content, correlation_id, reply_to: None };
        core.send_as(&from, None, &room, request).await
    }
}

impl ChatCore {
    fn require_hooks(&self) -> Result<()> {
        if self.settings.features.incoming_webhook {
            return Ok(());
        }
        Err(Error::not_found("Features:IncomingWebhook is off"))
    }
}

fn hook_id(token: &str) -> String {
    let digest = digest::digest(&digest::SHA256, token.as_bytes());
    let hash: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("hook-{hash}")
}
