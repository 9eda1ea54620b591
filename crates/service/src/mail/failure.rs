//! Why a mail was not accepted: the meaning of SMTP replies.
//!
//! Owns the table from reply codes to failures. Texts of replies are not repeated, because they may name the recipient.

use std::error::Error;

use super::certificate::certificate_failure;

/// Why a mail was not accepted, by what can be done about it. Reasons hold no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailFailure {
    /// It may be accepted later.
    Transient(String),
    /// An operator has to correct the settings or the relay.
    Misconfigured(String),
    /// There is no such mailbox.
    NoSuchMailbox,
    /// The relay refuses this mail for good.
    Refused(String),
}

/// The failure of a mail that was not accepted.
pub(super) fn interpret(error: &lettre::transport::smtp::Error) -> MailFailure {
    if let Some(code) = error.status() {
        let code: u16 = code.into();
        return interpret_code(code, enhanced(error));
    }
    if let Some(failure) = certificate_failure(error) {
        return MailFailure::Misconfigured(format!(
            "smtp: the certificate of the relay is refused: {failure}; check Smtp:Host and Smtp:CaFile"
        ));
    }
    if error.is_tls() {
        return MailFailure::Misconfigured(
            "smtp: TLS with the relay failed; check Smtp:Security and its certificate".to_owned(),
        );
    }
    if error.is_client() {
        // The relay does not offer what the settings ask for: STARTTLS, or a way to log in.
        return MailFailure::Misconfigured(
            "smtp: the relay does not offer what the settings ask for; \
                     check Smtp:Security and Smtp:Username"
                .to_owned(),
        );
    }
    let reason =
        if error.is_timeout() { "no response in time" } else { "no connection, or a broken one" };
    MailFailure::Transient(format!("smtp: {reason}"))
}

fn interpret_code(code: u16, enhanced: Option<[u16; 2]>) -> MailFailure {
    let reason = match enhanced {
        Some([subject, detail]) => {
            format!("smtp: reply {code} {}.{subject}.{detail}", code / 100)
        }
        None => format!("smtp: reply {code}"),
    };
    match (code, enhanced) {
        // The login was refused.
        (530 | 534 | 535 | 538, _) => {
            MailFailure::Misconfigured(format!("{reason}; check Smtp:Username and Smtp:Password"))
        }
        // Transient by definition (RFC 5321, 4.2.1).
        (400..500, _) => MailFailure::Transient(reason),
        // The mailbox does not exist or is disabled.
        (550 | 551 | 553, None | Some([1, _] | [2, 1])) => MailFailure::NoSuchMailbox,
        _ => MailFailure::Refused(reason),
    }
}

/// Subject and detail of the enhanced status code (RFC 3463) in a reply: `5.1.1` gives 1 and 1.
fn enhanced(error: &lettre::transport::smtp::Error) -> Option<[u16; 2]> {
    let text = error.source()?.to_string();
    let mut parts = text.split_whitespace().find(|word| word.contains('.'))?.split('.');
    let class = parts.next()?;
    if !matches!(class, "4" | "5") {
        return None;
    }
    let subject = parts.next()?.parse().ok()?;
    let detail = parts.next()?.parse().ok()?;
    parts.next().is_none().then_some([subject, detail])
}

impl std::fmt::Display for MailFailure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Transient(reason) | Self::Misconfigured(reason) | Self::Refused(reason) => {
                formatter.write_str(reason)
            }
            Self::NoSuchMailbox => formatter.write_str("smtp: there is no such mailbox"),
        }
    }
}

impl Error for MailFailure {}
