//! A text for one user, and the trait of ways to users.

use async_trait::async_trait;

use crate::domain::ChatUser;
use crate::error::Result;

/// Where a text goes.
#[derive(Clone, PartialEq, Eq)]
pub enum DeliveryAddress {
    /// A mail address.
    Mail(String),
    /// A mobile number.
    Mobile(String),
}

/// A text for one address. Both are private: nothing prints them.
#[derive(Clone)]
pub struct OutgoingText {
    /// Where it goes.
    pub address: DeliveryAddress,
    /// What it is about, for a mail.
    pub subject: String,
    /// What it says.
    pub text: String,
}

/// A way to users.
#[async_trait]
pub trait TextSender: Send + Sync {
    /// Sends a text.
    ///
    /// # Errors
    /// `Unavailable` if it may work later; `Invalid` if it never will.
    async fn send(&self, outgoing: &OutgoingText) -> Result<()>;
}

impl DeliveryAddress {
    /// The addresses of a user.
    #[must_use]
    pub fn all_of(user: &ChatUser) -> Vec<Self> {
        let mail = user.email.clone().map(Self::Mail);
        mail.into_iter().chain(user.mobile.clone().map(Self::Mobile)).collect()
    }
}
