//! A user's preferences: the stored ones, or the defaults.

use client::ErrorKind;

use crate::domain::{Preferences, UserId};
use crate::error::Result;
use crate::notifications::{Notifications, NotificationsCore};
use service::charge::ChargedValue;

impl Notifications {
    /// The preferences of a user. Until they are changed they are the defaults, which are not stored.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn preferences(&self, user: &UserId) -> Result<ChargedValue<Preferences>> {
        let read =
            self.core.containers.preferences.read(&user.partition_key(), user.as_str()).await;
        match read {
            Ok(answer) => Ok(ChargedValue::new(answer.value.into_value(), answer.charge)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(ChargedValue::new(self.core.default_preferences(user), error.charge()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl NotificationsCore {
    pub(crate) fn default_preferences(&self, user: &UserId) -> Preferences {
        let now = self.now();
        Preferences {
            id: user.as_str().to_owned(),
            user_id: user.clone(),
            timezone: self.settings.defaults.timezone.clone(),
            quiet_hours: self.settings.default_quiet_hours(),
            categories: self.settings.default_toggles(),
            locale: None,
            created_at: Some(now),
            updated_at: now,
        }
    }
}
