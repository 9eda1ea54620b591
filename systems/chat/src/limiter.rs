//! The sliding windows of read receipts and of messages, by user.

use std::time::Duration;

use crate::chat::ChatCore;
use crate::domain::UserName;
use crate::ephemeral::EphemeralStore as _;
use crate::error::{Error, ErrorKind, Result};
use crate::settings::LimiterStore;

impl ChatCore {
    /// Takes a permit for a read receipt.
    ///
    /// # Errors
    /// `Limited` if none is left.
    pub(crate) async fn permit_mark_read(&self, user: &UserName) -> Result<()> {
        let limit = &self.settings.rate_limiting.mark_read;
        let (most, seconds) = (limit.mark_read_permit_limit, limit.mark_read_window_seconds);
        let window = Duration::from_secs(seconds);
        let is_allowed = match limit.store {
            LimiterStore::Memory => self.limits.take_permit(user.as_str(), most, window).await?,
            LimiterStore::Redis => self.ephemeral.take_permit(user.as_str(), most, window).await?,
        };
        refuse_unless(is_allowed, "read receipts", most, seconds)
    }

    /// Takes a permit for a message, an edit or a typing event.
    ///
    /// # Errors
    /// `Limited` if none is left.
    pub(crate) async fn permit_message(&self, user: &UserName) -> Result<()> {
        let limit = &self.settings.rate_limiting.messages;
        let window = Duration::from_secs(limit.window_seconds);
        let key = format!("message {user}");
        let is_allowed = self.limits.take_permit(&key, limit.permit_limit, window).await?;
        refuse_unless(is_allowed, "messages", limit.permit_limit, limit.window_seconds)
    }
}

fn refuse_unless(is_allowed: bool, what: &str, most: u32, seconds: u64) -> Result<()> {
    if is_allowed {
        return Ok(());
    }
    let text = format!("more than {most} {what} in {seconds} s; wait a moment");
    Err(Error::new(ErrorKind::Limited, text))
}
