//! The two steps: a code is sent, and a code is given back.
//!
//! Answers and work are the same for users that exist, do not exist or are disabled. Every given code counts as an
//! attempt before it is compared, so that many at once cannot outrun the count. If the store of codes cannot be
//! reached, both steps fail: nobody gets in because of an outage.

use std::time::Duration;

use super::code::OneTimeCode;
use crate::chat::{Chat, ChatCore};
use crate::delivery::{DeliveryAddress, OutgoingText};
use crate::domain::{ChatUser, UserName};
use crate::error::{Error, ErrorKind, Result};

impl Chat {
    /// Sends a code, if there is such a user; says the same if there is none.
    ///
    /// # Errors
    /// `Unavailable` if the code cannot be stored.
    pub async fn start_sign_in(&self, name: &UserName) -> Result<()> {
        self.core.start_sign_in(name).await
    }

    /// Signs a user in by a code, which works once.
    ///
    /// # Errors
    /// `SignInRefused` whatever is wrong; `Unavailable` if the code cannot be looked up.
    pub async fn verify_sign_in(&self, name: &UserName, code: &str) -> Result<ChatUser> {
        self.core.verify_sign_in(name, code).await
    }
}

impl ChatCore {
    async fn start_sign_in(&self, name: &UserName) -> Result<()> {
        self.counters.count_otp_request();
        let user = self.users.get_by_user_name(name).await?.value;
        // Asked for every name, so that an outage says nothing about the name.
        self.ephemeral.attempts(name.as_str()).await?;
        let code = OneTimeCode::random()?;
        let stored = self.hasher.hash(name.as_str(), &code).await?;
        let Some(user) = user.filter(ChatUser::is_enabled) else { return Ok(()) };
        self.ephemeral.put_code(name.as_str(), &stored, self.code_life()).await?;
        let text = format!(
            "Your code is {}. It is valid for {} s.",
            code.secret(),
            self.code_life().as_secs()
        );
        // In the background: the answer must not take longer for users that exist.
        for address in DeliveryAddress::all_of(&user) {
            let subject = "Your sign-in code".to_owned();
            self.deliver(OutgoingText { address, subject, text: text.clone() });
        }
        Ok(())
    }

    async fn verify_sign_in(&self, name: &UserName, text: &str) -> Result<ChatUser> {
        self.counters.count_otp_verification();
        let refused = || {
            let message = "The code is wrong, was used before or has expired. Ask for a new one.";
            Error::new(ErrorKind::SignInRefused, message)
        };
        let stored = self.ephemeral.code(name.as_str()).await?;
        let given = OneTimeCode::given(text);
        let code = given.clone().unwrap_or(OneTimeCode::random()?);
        let attempts = match &stored {
            Some(_) => self.ephemeral.count_attempt(name.as_str(), self.code_life()).await?,
            // Without a code there is nothing to guess, and names that do not exist must not fill the store.
            None => 0,
        };
        let is_locked = attempts > u64::from(self.settings.otp.max_attempts);
        let compared = stored.as_deref().filter(|_| !is_locked && given.is_some());
        let is_right = self.hasher.verify(name.as_str(), compared, &code).await?;
        if !is_right {
            self.counters.count_otp_refusal();
            return Err(refused());
        }
        let is_taken =
            self.ephemeral.take_code(name.as_str(), stored.as_deref().unwrap_or_default()).await?;
        let user = self.users.get_by_user_name(name).await?.value.filter(ChatUser::is_enabled);
        user.filter(|_| is_taken).ok_or_else(refused)
    }

    fn code_life(&self) -> Duration {
        Duration::from_secs(self.settings.redis.otp_ttl_seconds)
    }
}
