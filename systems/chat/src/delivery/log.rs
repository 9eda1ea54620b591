//! The log as a way to users: for development only.

use async_trait::async_trait;

use super::outgoing::{DeliveryAddress, OutgoingText, TextSender};
use crate::error::Result;

/// Prints texts to the log: for development only.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSender;

#[async_trait]
impl TextSender for LogSender {
    async fn send(&self, outgoing: &OutgoingText) -> Result<()> {
        let to = match &outgoing.address {
            DeliveryAddress::Mail(address) => address,
            DeliveryAddress::Mobile(number) => number,
        };
        // A warning, so that it is seen without further flags. `Chat:Development` alone leads here.
        tracing::warn!("message to {to}: {}", outgoing.text);
        Ok(())
    }
}
