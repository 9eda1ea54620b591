//! One push to one mail address. Does not retry; the dispatcher does.

use std::sync::Arc;

use client::Clock;
use service::mail::{MailFailure, MailRelay, OutgoingMail, SmtpSettings};
use service::settings::ProviderSettingsError;

use crate::delivery::message_id;
use crate::delivery::push::{DeliveryResult, Push, VerificationResult};
use crate::domain::{Device, VerificationCode};

/// The mail provider.
pub(crate) struct MailProvider {
    relay: MailRelay,
    clock: Arc<dyn Clock>,
}

impl MailProvider {
    /// Validates the settings. Nothing is sent yet.
    pub(crate) fn open(
        settings: &SmtpSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        Ok(Self { relay: MailRelay::open(settings)?, clock })
    }

    pub(crate) async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        let id = message_id::uuid(device, push);
        let text = format!("{}\n\n{}", push.body, push.deeplink);
        let mail = OutgoingMail {
            to: device.push_token.secret(),
            subject: &push.title,
            text: &text,
            id: Some(&id),
            date: self.clock.now(),
        };
        match self.relay.send(mail).await {
            Ok(()) => DeliveryResult::Delivered { provider_id: id },
            Err(MailFailure::Transient(reason)) => DeliveryResult::Retry { after: None, reason },
            Err(MailFailure::Misconfigured(reason)) => DeliveryResult::Alarm { reason },
            Err(MailFailure::NoSuchMailbox) => DeliveryResult::InvalidToken,
            Err(MailFailure::Refused(reason)) => DeliveryResult::Permanent { reason },
        }
    }

    /// Refuses what is not a mail address.
    pub(crate) fn check_address(address: &str) -> Result<(), String> {
        if MailRelay::is_address(address) {
            return Ok(());
        }
        Err("is not a mail address".to_owned())
    }

    /// Sends a code to an address.
    pub(crate) async fn verify(
        &self,
        device: &Device,
        code: &VerificationCode,
    ) -> VerificationResult {
        let text = format!(
            "Somebody, probably you, wants notifications to be sent to this address. To confirm, enter this code:\n\n\
             {}\n\nThe code is valid for an hour. If it was not you, do nothing.",
            code.secret()
        );
        let mail = OutgoingMail {
            to: device.push_token.secret(),
            subject: "Confirm this address for notifications",
            text: &text,
            id: None,
            date: self.clock.now(),
        };
        let reason = match self.relay.send(mail).await {
            Ok(()) => return VerificationResult::Sent,
            Err(MailFailure::NoSuchMailbox) if !MailRelay::is_address(mail.to) => {
                "is not a mail address"
            }
            Err(_) => "the mail with the code could not be sent; try again later",
        };
        VerificationResult::Failed { reason: reason.to_owned() }
    }
}
