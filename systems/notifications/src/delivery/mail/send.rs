//! One push to one mail address.
//!
//! Owns the connection to the relay. Does not retry; the dispatcher does.

use std::sync::Arc;
use std::time::Duration;

use client::Clock;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use super::{message, reply};
use crate::delivery::push::{DeliveryResult, Push, VerificationResult};
use crate::delivery::settings::{
    ProviderSettingsError, SmtpSecurity, SmtpSettings, require, timeout,
};
use crate::delivery::{message_id, tls};
use crate::domain::{Device, VerificationCode};

/// The mail provider.
pub(crate) struct MailProvider {
    relay: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

impl MailProvider {
    /// Validates the settings. Nothing is sent yet.
    pub(crate) fn open(
        settings: &SmtpSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        require("Smtp:Host", &settings.host)?;
        require("Smtp:From", &settings.from)?;
        let timeout = timeout("Smtp:TimeoutSeconds", settings.timeout_seconds)?;
        let from: Mailbox = settings.from.parse().map_err(|_| {
            let wrong = "is not a mail address; write it like Name <name@example.org>";
            ProviderSettingsError::new("Smtp:From", wrong)
        })?;
        Ok(Self { relay: open_relay(settings, &from, timeout)?, from, timeout, clock })
    }

    pub(crate) async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        let Ok(to) = device.push_token.secret().parse::<Mailbox>() else {
            return DeliveryResult::InvalidToken;
        };
        let message = match message::compose(&self.from, to, device, push, self.clock.now().0) {
            Ok(message) => message,
            Err(error) => return DeliveryResult::Permanent { reason: format!("smtp: {error}") },
        };
        // The library's timeout is per command; this one is for the whole mail.
        match tokio::time::timeout(self.timeout, self.relay.send(message)).await {
            Ok(Ok(_)) => DeliveryResult::Delivered { provider_id: message_id::uuid(device, push) },
            Ok(Err(error)) => reply::interpret(&error),
            Err(_) => DeliveryResult::Retry {
                after: None,
                reason: "smtp: no response in time".to_owned(),
            },
        }
    }
}

impl MailProvider {
    /// Refuses what is not a mail address.
    pub(crate) fn check_address(address: &str) -> Result<(), String> {
        let parsed = address.parse::<Mailbox>();
        parsed.map(|_| ()).map_err(|_| "is not a mail address".to_owned())
    }

    /// Sends a code to an address.
    pub(crate) async fn verify(
        &self,
        device: &Device,
        code: &VerificationCode,
    ) -> VerificationResult {
        let failed = |reason: &str| VerificationResult::Failed { reason: reason.to_owned() };
        let Ok(to) = device.push_token.secret().parse::<Mailbox>() else {
            return failed("is not a mail address");
        };
        let now_ms = self.clock.now().0;
        let Ok(message) = message::compose_code(&self.from, to, code, now_ms) else {
            return failed("no mail can be made for this address");
        };
        match tokio::time::timeout(self.timeout, self.relay.send(message)).await {
            Ok(Ok(_)) => VerificationResult::Sent,
            _ => failed("the mail with the code could not be sent; try again later"),
        }
    }
}

fn open_relay(
    settings: &SmtpSettings,
    from: &Mailbox,
    timeout: Duration,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, ProviderSettingsError> {
    let trusted = tls::read_ca_file("Smtp:CaFile", &settings.ca_file)?;
    let parameters = || {
        let mut parameters = TlsParameters::builder(settings.host.clone());
        if let Some(text) = &trusted {
            let certificates = Certificate::from_pem(text).map_err(|_| {
                let wrong = format!("is '{}', whose certificates cannot be used", settings.ca_file);
                ProviderSettingsError::new("Smtp:CaFile", &wrong)
            })?;
            parameters = parameters.add_root_certificate(certificates);
        }
        parameters
            .build()
            .map_err(|_| ProviderSettingsError::new("Smtp:Host", "cannot be used with TLS"))
    };
    let (tls, default_port) = match settings.security {
        SmtpSecurity::StartTls => (Tls::Required(parameters()?), 587),
        SmtpSecurity::Tls => (Tls::Wrapper(parameters()?), 465),
        SmtpSecurity::None => (Tls::None, 25),
    };
    let port = if settings.port == 0 { default_port } else { settings.port };
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&settings.host)
        .port(port)
        .tls(tls)
        .timeout(Some(timeout))
        .hello_name(ClientId::Domain(from.email.domain().to_owned()));
    if !settings.username.is_empty() {
        let password = settings.password.expose().to_owned();
        builder = builder.credentials(Credentials::new(settings.username.clone(), password));
    }
    Ok(builder.build())
}
