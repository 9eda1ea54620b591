//! The connection to a mail relay, and one mail over it.
//!
//! Does not send again; the caller does.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use client::TimestampMs;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

use super::certificate::read_ca_file;
use super::failure::{MailFailure, interpret};
use super::settings::{SmtpSecurity, SmtpSettings};
use crate::settings::ProviderSettingsError;

/// Whoever sends mails has other work, too.
const TIMEOUT_SECONDS_MAX: u64 = 25;

/// A mail of plain text.
#[derive(Clone, Copy)]
pub struct OutgoingMail<'a> {
    /// The address of the recipient.
    pub to: &'a str,
    /// The subject; control characters become spaces.
    pub subject: &'a str,
    /// The text, with any line breaks.
    pub text: &'a str,
    /// Unique for this mail, and the same when it is sent again; the relay chooses one if there is none.
    pub id: Option<&'a str>,
    /// When it is sent.
    pub date: TimestampMs,
}

/// A mail relay.
pub struct MailRelay {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    timeout: Duration,
}

impl MailRelay {
    /// Validates the settings. Nothing is sent yet.
    ///
    /// # Errors
    /// Names the setting that cannot be used.
    pub fn open(settings: &SmtpSettings) -> Result<Self, ProviderSettingsError> {
        for (name, value) in [("Smtp:Host", &settings.host), ("Smtp:From", &settings.from)] {
            if value.trim().is_empty() {
                let wrong =
                    "is empty; set it, or remove the whole section to run without this provider";
                return Err(ProviderSettingsError::new(name, wrong));
            }
        }
        let seconds = settings.timeout_seconds;
        if !(1..=TIMEOUT_SECONDS_MAX).contains(&seconds) {
            let wrong =
                format!("is {seconds}; it must be between 1 and {TIMEOUT_SECONDS_MAX} seconds");
            return Err(ProviderSettingsError::new("Smtp:TimeoutSeconds", &wrong));
        }
        let from: Mailbox = settings.from.parse().map_err(|_| {
            let wrong = "is not a mail address; write it like Name <name@example.org>";
            ProviderSettingsError::new("Smtp:From", wrong)
        })?;
        let timeout = Duration::from_secs(seconds);
        Ok(Self { transport: open_transport(settings, &from, timeout)?, from, timeout })
    }

    /// Whether this is a mail address.
    #[must_use]
    pub fn is_address(text: &str) -> bool {
        text.parse::<Mailbox>().is_ok()
    }

    /// Sends a mail: the relay has accepted it when this returns.
    ///
    /// # Errors
    /// Why it was not accepted.
    pub async fn send(&self, mail: OutgoingMail<'_>) -> Result<(), MailFailure> {
        let to: Mailbox = mail.to.parse().map_err(|_| MailFailure::NoSuchMailbox)?;
        let message = self.compose(to, mail).map_err(|_| {
            MailFailure::Refused("smtp: no mail can be made of this text".to_owned())
        })?;
        // The library's timeout is per command; this one is for the whole mail.
        match tokio::time::timeout(self.timeout, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(interpret(&error)),
            Err(_) => Err(MailFailure::Transient("smtp: no response in time".to_owned())),
        }
    }

    fn compose(
        &self,
        to: Mailbox,
        mail: OutgoingMail<'_>,
    ) -> Result<Message, lettre::error::Error> {
        let mut builder = Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(one_line(mail.subject))
            .date(UNIX_EPOCH + Duration::from_millis(mail.date.0));
        if let Some(id) = mail.id {
            builder = builder.message_id(Some(format!("<{id}@{}>", self.from.email.domain())));
        }
        let text = SinglePart::builder().header(ContentType::TEXT_PLAIN).body(lines(mail.text));
        let mut message = builder.singlepart(text)?;
        // Automatic responders do not answer such a mail.
        message.headers_mut().insert_raw(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
        Ok(message)
    }
}

impl fmt::Debug for MailRelay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MailRelay").field("from", &self.from).finish_non_exhaustive()
    }
}

fn open_transport(
    settings: &SmtpSettings,
    from: &Mailbox,
    timeout: Duration,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, ProviderSettingsError> {
    let trusted = read_ca_file("Smtp:CaFile", &settings.ca_file)?;
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

/// A line break would end the subject header.
fn one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Mail has CRLF line breaks.
fn lines(text: &str) -> String {
    let mut joined = text.lines().collect::<Vec<_>>().join("\r\n");
    joined.push_str("\r\n");
    joined
}
