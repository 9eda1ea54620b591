//! Erasing and exporting a user.
//!
//! Owns where a user's data is. The order is that of the pipeline: events first, because everything else is made of
//! them. A worker that is in the middle of an event meanwhile takes its notification back; in case it dies before, the
//! erasure is done again when every lease of that time is over.

use client::{ErrorKind, Json, Query};
use model::Object;
use serde::{Deserialize, Serialize};
use service::erasure::{Certificate, Erasure, Export, Registration};

use crate::domain::{Moment, PushToken, UserId};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};

/// An erasure that is to be done once more. It names the user, so it goes with the second time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ErasureRequest {
    id: String,
    user_id: UserId,
    again_at: Moment,
    kind: String,
}

const KIND: &str = "erasure request";

impl Notifications {
    /// Erases everything about a user, and gives the proof. Again, it finds nothing and gives the same proof.
    ///
    /// # Errors
    /// `Conflict` when somebody keeps writing about the user; those of the account: calling again goes on.
    pub async fn erase(&self, user: &UserId) -> Result<Certificate> {
        let core = &self.core;
        core.remember_erasure(user).await?;
        let certificate = core.erasure().erase(user.as_str()).await.map_err(failed)?;
        core.streams.publish_erasure(user, core.now()).await?;
        Ok(certificate)
    }

    /// The proof of a user's erasure; none when there was none, or it has not come to its end.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn erasure_certificate(&self, user: &UserId) -> Result<Option<Certificate>> {
        self.core.erasure().certificate(user.as_str()).await.map_err(failed)
    }

    /// Everything about a user, as lines of JSON, page by page. Push tokens show their last four characters.
    #[must_use]
    pub fn export(&self, user: &UserId) -> Export {
        self.core.erasure().export(user.as_str())
    }

    /// The second time of erasures whose workers must be done by now. Says how many there were.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn finish_erasures(&self) -> Result<u64> {
        let core = &self.core;
        let query = Query::text("SELECT * FROM c WHERE c.kind = @kind AND c.againAt <= @now")
            .parameter("@kind", KIND)
            .parameter("@now", core.now())
            .fan_out("erasures of any user are finished");
        let requests = core.containers.leases.query::<ErasureRequest>(&query).await?.value;
        let mut count = 0;
        for request in requests {
            core.erasure().erase(request.user_id.as_str()).await.map_err(failed)?;
            core.streams.publish_erasure(&request.user_id, core.now()).await?;
            match core
                .containers
                .leases
                .delete(&request.id.as_str().into(), &request.id, None)
                .await
            {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => count += 1,
            }
        }
        Ok(count)
    }
}

impl NotificationsCore {
    async fn remember_erasure(&self, user: &UserId) -> Result<()> {
        let hash = self.erasure().subject_hash(user.as_str());
        let request = ErasureRequest {
            id: format!("erasure request..{hash}"),
            user_id: user.clone(),
            // A worker that claimed an event just now may write until its lease ends.
            again_at: self.now().after(self.settings.lease() * 2),
            kind: KIND.to_owned(),
        };
        self.containers.leases.upsert(&request.id.as_str().into(), &request, None).await?;
        Ok(())
    }

    /// Where a user's data is.
    fn erasure(&self) -> Erasure {
        let containers = &self.containers;
        let by_user = |name: &str, container| Registration::by_partition_key(name, container);
        Erasure::new(&containers.leases, self.settings.erasure_secret.expose().as_bytes())
            .with(by_user("notification_events", &containers.events))
            .with(by_user("notifications", &containers.notifications))
            .with(by_user("notification_preferences", &containers.preferences))
            .with(by_user("device_tokens", &containers.devices).redacted(mask_token))
            .with(Registration::by_query("push_token_owner", &containers.token_owners, |user| {
                Query::text("SELECT * FROM c WHERE c.userId = @user")
                    .parameter("@user", user)
                    .fan_out("push tokens are found by their hash, a user's only by looking at all")
            }))
    }
}

fn mask_token(device: &mut Object) {
    let token = device.get("pushToken").and_then(Json::as_str);
    if let Some(token) = token.and_then(|token| PushToken::parse(token).ok()) {
        device.insert("pushToken", token.masked());
    }
}

fn failed(error: service::erasure::ErasureError) -> Error {
    match error {
        service::erasure::ErasureError::Data(error) => error.into(),
        still @ service::erasure::ErasureError::StillWritten { .. } => {
            Error::conflict(still.to_string())
        }
    }
}
