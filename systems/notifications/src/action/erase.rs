//! Erasing and exporting a user.
//!
//! Owns the list of containers with a user's data. Events are erased first, because everything else is made from them.
//! A worker that is processing an event meanwhile finds it gone and deletes the notification it wrote. In case that
//! worker crashes before, the erasure is repeated after all leases of that time have expired.

use client::{ErrorKind, Json, Query};
use model::Object;
use serde::{Deserialize, Serialize};
use service::erasure::{Erasure, ErasureCertificate, SubjectContainer, SubjectExport};

use crate::domain::{PushToken, UserId, UtcTimestamp};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};

/// An erasure that has to be repeated. It names the user, so it is deleted after the repetition.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ErasureRequest {
    id: String,
    user_id: UserId,
    again_at: UtcTimestamp,
    kind: String,
}

const KIND: &str = "erasure request";

impl Notifications {
    /// Erases everything about a user, and returns the certificate. Repeated, it finds nothing and returns the same
    /// one.
    ///
    /// # Errors
    /// `Conflict` if data about the user keeps being written; those of the account: another call continues.
    pub async fn erase(&self, user: &UserId) -> Result<ErasureCertificate> {
        let core = &self.core;
        // First, so that a crash during the erasure does not lose the repetition.
        core.schedule_repetition(user).await?;
        let certificate = core.erasure().erase(user.as_str()).await.map_err(to_error)?;
        core.streams.publish_erasure(user, core.now()).await?;
        Ok(certificate)
    }

    /// The certificate of a user's erasure; `None` if there was none, or it is not finished.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn erasure_certificate(&self, user: &UserId) -> Result<Option<ErasureCertificate>> {
        self.core.erasure().certificate(user.as_str()).await.map_err(to_error)
    }

    /// Everything about a user, as lines of JSON, page by page. Push tokens are masked.
    #[must_use]
    pub fn export(&self, user: &UserId) -> SubjectExport {
        self.core.erasure().export(user.as_str())
    }

    /// Repeats the erasures whose workers must have finished by now. Returns how many there were.
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
            core.erasure().erase(request.user_id.as_str()).await.map_err(to_error)?;
            core.streams.publish_erasure(&request.user_id, core.now()).await?;
            match core
                .containers
                .leases
                .delete(&request.id.as_str().into(), &request.id, None)
                .await
            {
                // Another process may have finished the same request.
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => count += 1,
            }
        }
        Ok(count)
    }
}

impl NotificationsCore {
    async fn schedule_repetition(&self, user: &UserId) -> Result<()> {
        let hash = self.erasure().subject_hash(user.as_str());
        let request = ErasureRequest {
            id: format!("erasure request..{hash}"),
            user_id: user.clone(),
            // A worker that has just claimed an event may write until its lease expires.
            again_at: self.now().after(self.settings.lease() * 2),
            kind: KIND.to_owned(),
        };
        self.containers.leases.upsert(&request.id.as_str().into(), &request, None).await?;
        Ok(())
    }

    /// The containers with a user's data.
    fn erasure(&self) -> Erasure {
        let containers = &self.containers;
        let by_user = |name: &str, container| SubjectContainer::by_partition_key(name, container);
        Erasure::new(&containers.leases, self.settings.erasure_secret.expose().as_bytes())
            // The order matters: an event that is still there could write a notification behind the erasure.
            .with(by_user("notification_events", &containers.events))
            .with(by_user("notifications", &containers.notifications))
            .with(by_user("notification_preferences", &containers.preferences))
            .with(by_user("device_tokens", &containers.devices).redacted(mask_token))
            .with(SubjectContainer::by_query(
                "push_token_owner",
                &containers.token_owners,
                |user| {
                    Query::text("SELECT * FROM c WHERE c.userId = @user")
                        .parameter("@user", user)
                        .fan_out("owners are partitioned by token, not by user")
                },
            ))
    }
}

fn mask_token(device: &mut Object) {
    let token = device.get("pushToken").and_then(Json::as_str);
    if let Some(token) = token.and_then(|token| PushToken::parse(token).ok()) {
        device.insert("pushToken", token.masked());
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
