//! Mentions become notifications, when the notifications are in the same binary.
//!
//! Whoever processes the queue of the notifications (`planisphere notifications serve` on the same account) delivers
//! them.

use std::sync::Arc;

use chat::{ChatSettings, MentionReceiver};
use client::Account;

use crate::error::CommandError;

/// The receiver of mentions that the settings ask for.
#[cfg(feature = "notifications")]
pub(super) async fn receiver(
    settings: &ChatSettings,
    account: &Account,
) -> Result<Option<Arc<dyn MentionReceiver>>, CommandError> {
    handed_over::receiver(settings, account).await
}

/// Without the notifications nobody hears of mentions.
#[cfg(not(feature = "notifications"))]
pub(super) async fn receiver(
    settings: &ChatSettings,
    _: &Account,
) -> Result<Option<Arc<dyn MentionReceiver>>, CommandError> {
    if settings.features.mentions {
        crate::output::warn("Features:Mentions has no effect: this build has no notifications");
    }
    Ok(None)
}

#[cfg(feature = "notifications")]
mod handed_over {
    //! Events of the notifications for mentions.

    use std::sync::Arc;

    use async_trait::async_trait;
    use chat::{ChatSettings, MentionReceiver, UserMention};
    use client::{Account, Clock, SystemClock};
    use notifications::delivery::{ProviderSettings, Providers};
    use notifications::{
        EventPayload, EventType, NewEvent, NotificationSettings, Notifications, TargetType, UserId,
    };

    use crate::error::CommandError;

    const ACTION: &str = "opening the notifications for mentions";

    /// Hands mentions over to the notifications.
    struct NotifiedMentions(Notifications);

    pub(super) async fn receiver(
        settings: &ChatSettings,
        account: &Account,
    ) -> Result<Option<Arc<dyn MentionReceiver>>, CommandError> {
        if !settings.features.mentions {
            return Ok(None);
        }
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let providers = Providers::open(&ProviderSettings::default(), &clock);
        let providers = providers.map_err(|error| CommandError::new(ACTION, error.to_string()))?;
        let environment = account.environment().clone();
        let own = NotificationSettings::default();
        let opened = Notifications::open(account.clone(), own, environment, Arc::new(providers));
        let opened = opened.await.map_err(|error| CommandError::new(ACTION, error.to_string()))?;
        Ok(Some(Arc::new(NotifiedMentions(opened))))
    }

    #[async_trait]
    impl MentionReceiver for NotifiedMentions {
        async fn mentioned(&self, mention: UserMention) {
            let UserMention { user, by, room, message_id } = mention;
            let Ok(user_id) = UserId::parse(user.as_str()) else { return };
            let event = NewEvent {
                user_id,
                event_type: EventType::CommentReply,
                payload: EventPayload {
                    actor_id: Some(by.as_str().to_owned()),
                    actor_name: Some(by.as_str().to_owned()),
                    target_id: format!("{room}/{message_id}"),
                    target_type: TargetType::Comment,
                    snippet: Some(format!("mentioned you in #{room}")),
                    extra: serde_json::Map::new(),
                },
                dedupe_key: None,
                scheduled_at: None,
                // The same message mentions somebody once, also if its sending is repeated.
                idempotency_key: Some(format!("chat {room} {message_id}")),
            };
            if let Err(error) = self.0.enqueue(event).await {
                tracing::warn!(%error, "a mention could not be handed over");
            }
        }
    }
}
