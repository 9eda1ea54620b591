//! The mail message of a push: its headers and its text.

use std::time::{Duration, UNIX_EPOCH};

use lettre::Message;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, SinglePart};

use crate::delivery::message_id;
use crate::delivery::push::Push;
use crate::domain::{Device, VerificationCode};

/// Composes the message, or returns why that is not possible.
pub(super) fn compose(
    from: &Mailbox,
    to: Mailbox,
    device: &Device,
    push: &Push,
    now_ms: u64,
) -> Result<Message, &'static str> {
    let id = format!("<{}@{}>", message_id::uuid(device, push), from.email.domain());
    let text = format!("{}\r\n\r\n{}\r\n", lines(&push.body), push.deeplink);
    let mut message = Message::builder()
        .from(from.clone())
        .to(to)
        .subject(one_line(&push.title))
        .date(UNIX_EPOCH + Duration::from_millis(now_ms))
        .message_id(Some(id))
        .singlepart(SinglePart::builder().header(ContentType::TEXT_PLAIN).body(text))
        .map_err(|_| "the push cannot be made into a mail")?;
    // Automatic responders do not answer such a mail.
    message.headers_mut().insert_raw(HeaderValue::new(
        HeaderName::new_from_ascii_str("Auto-Submitted"),
        "auto-generated".to_owned(),
    ));
    Ok(message)
}

/// Composes the message with the code that verifies an address.
pub(super) fn compose_code(
    from: &Mailbox,
    to: Mailbox,
    code: &VerificationCode,
    now_ms: u64,
) -> Result<Message, lettre::error::Error> {
    let code = code.secret();
    let text = format!(
        "Somebody, probably you, wants notifications to be sent to this address. To confirm, enter this code:\r\n\r\n\
         {code}\r\n\r\nThe code is valid for an hour. If it was not you, do nothing.\r\n"
    );
    Message::builder()
        .from(from.clone())
        .to(to)
        .subject("Confirm this address for notifications")
        .date(UNIX_EPOCH + Duration::from_millis(now_ms))
        .singlepart(SinglePart::builder().header(ContentType::TEXT_PLAIN).body(text))
}

/// A line break would end the subject header.
fn one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Mail has CRLF line breaks.
fn lines(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join("\r\n")
}
