//! Erasing and exporting a user.
//!
//! Owns the list of places with a user's data: the user and the reservation of the mail address, the messages that the
//! user sent, the name among readers and members, the counts of what was seen, and ephemeral state.

use client::Query;
use serde::Deserialize;
use service::erasure::{Erasure, ErasureCertificate, SubjectContainer, SubjectExport};

use super::unread::seen_id;
use crate::chat::{Chat, ChatCore};
use crate::domain::{ChatMessage, UserName};
use crate::error::{Error, Result};
use crate::repository::all_pages;

/// Where a message is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadMessage {
    id: String,
    room_name: crate::domain::RoomName,
}

impl Chat {
    /// Erases everything about a user, and returns the certificate. Repeated, it finds nothing and returns the same
    /// one.
    ///
    /// # Errors
    /// `Conflict` if data about the user keeps being written; those of the account: another call continues.
    pub async fn erase_user(&self, name: &UserName) -> Result<ErasureCertificate> {
        let core = &self.core;
        core.forget_reader(name).await?;
        let certificate = core.erasure().erase(name.as_str()).await.map_err(to_error)?;
        core.directory.forget_user(name);
        core.rebuild_members().await?;
        core.ephemeral.remove_presence(name.as_str()).await?;
        Ok(certificate)
    }

    /// Everything about a user, as lines of JSON, page by page.
    #[must_use]
    pub fn export_user(&self, name: &UserName) -> SubjectExport {
        self.core.erasure().export(name.as_str())
    }
}

impl ChatCore {
    /// Removes a name from the readers of all messages. Those messages belong to others and stay.
    async fn forget_reader(&self, name: &UserName) -> Result<()> {
        let query =
            Query::text("SELECT c.id, c.roomName FROM c WHERE ARRAY_CONTAINS(c.readBy, @name)");
        let query = query.parameter("@name", name.as_str());
        let query = query.fan_out("a user has read messages of several rooms");
        let read =
            all_pages::<ReadMessage>(&self.containers.messages, "erase.readers", query).await?;
        for ReadMessage { id, room_name } in read.value {
            let key = self.containers.room_key(&room_name);
            let forget = |message: &mut ChatMessage| {
                message.read_by.retain(|reader| reader != name.as_str());
                Ok::<_, client::Error>(())
            };
            match self.containers.messages.modify(&key, &id, forget).await {
                Err(error) if error.kind() != client::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The containers with a user's data.
    fn erasure(&self) -> Erasure {
        let containers = &self.containers;
        Erasure::new(&containers.state, self.settings.chat.erasure_secret.expose().as_bytes())
            .with(SubjectContainer::by_query("messages", &containers.messages, |user| {
                Query::text("SELECT * FROM c WHERE c.fromUser = @user")
                    .parameter("@user", user)
                    .fan_out("a user has sent messages to several rooms")
            }))
            .with(SubjectContainer::by_query("emailReservations", &containers.users, |user| {
                Query::text("SELECT * FROM c WHERE c.type = 'emailReservation' AND c.owner = @user")
                    .parameter("@user", user)
                    .fan_out("a reservation is kept by its address")
            }))
            .with(SubjectContainer::by_query("seenCounts", &containers.state, |user| {
                let id = seen_id(user);
                let key = id.as_str().into();
                Query::text("SELECT * FROM c WHERE c.id = @id").parameter("@id", id).within(key)
            }))
            .with(SubjectContainer::by_partition_key("users", &containers.users))
    }
}

fn to_error(error: service::erasure::ErasureError) -> Error {
    match error {
        service::erasure::ErasureError::Data(error) => error.into(),
        still @ service::erasure::ErasureError::StillWritten { .. } => {
            Error::conflict(still.to_string())
        }
    }
}
