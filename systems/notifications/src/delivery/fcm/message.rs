//! The FCM message: its JSON and its size limit.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::delivery::fit_text::{FittedText, fit_text};
use crate::delivery::push::Push;
use crate::domain::Category;

/// The largest message in bytes, without its token.
const PAYLOAD_BYTES_MAX: usize = 4096;
/// How long FCM keeps a message for a device that is offline.
const EXPIRATION_SECONDS: u64 = 86_400;

/// The request body.
///
/// # Errors
/// The size without any text, if even that is too large.
pub(super) fn encode(push: &Push, push_token: &str, now_seconds: u64) -> Result<String, usize> {
    let size = |title: &str, body: &str| {
        let texts = FittedText { title: title.to_owned(), body: body.to_owned() };
        message(push, &texts, now_seconds).to_string().len()
    };
    let texts = fit_text(&push.title, &push.body, PAYLOAD_BYTES_MAX, size)?;
    let mut message = message(push, &texts, now_seconds);
    if let Some(members) = message.as_object_mut() {
        // After measuring: the limit does not count the token.
        members.insert("token".to_owned(), push_token.into());
    }
    Ok(json!({ "message": message }).to_string())
}

fn message(push: &Push, texts: &FittedText, now_seconds: u64) -> Value {
    let notification = json!({ "title": texts.title, "body": texts.body });
    json!({
        "notification": notification,
        "data": data(push),
        "android": {
            "priority": if is_urgent(push.category) { "HIGH" } else { "NORMAL" },
            "ttl": format!("{EXPIRATION_SECONDS}s"),
            "collapse_key": push.collapse_id,
            "notification": {
                "channel_id": push.category.name().to_lowercase(),
                // The tag replaces a notification that is already shown; the collapse key only replaces a message that
                // is still waiting for the device.
                "tag": push.collapse_id,
            },
        },
        "apns": {
            "headers": {
                "apns-priority": if is_urgent(push.category) { "10" } else { "5" },
                "apns-expiration": (now_seconds + EXPIRATION_SECONDS).to_string(),
                "apns-collapse-id": push.collapse_id,
            },
            "payload": { "aps": aps(push) },
        },
    })
}

/// The part for Apple devices without the alert, which FCM takes from `notification`.
fn aps(push: &Push) -> Value {
    let mut aps = json!({
        "thread-id": push.category.name().to_lowercase(),
        "category": push.category.name(),
    });
    if let Some(members) = aps.as_object_mut() {
        if let Some(badge) = push.badge {
            members.insert("badge".to_owned(), badge.into());
        }
        if is_urgent(push.category) {
            members.insert("sound".to_owned(), "default".into());
        }
    }
    aps
}

fn data(push: &Push) -> BTreeMap<String, &str> {
    let mut data: BTreeMap<String, &str> =
        // Ours are inserted last, so that a value of the event cannot replace the id or the link.
        push.data.iter().map(|(name, value)| (allowed_name(name), value.as_str())).collect();
    data.insert("notificationId".to_owned(), &push.notification_id);
    data.insert("category".to_owned(), push.category.name());
    data.insert("deeplink".to_owned(), &push.deeplink);
    data
}

/// FCM reserves some names and refuses a message that uses one.
fn allowed_name(name: &str) -> String {
    let is_reserved = matches!(name, "from" | "message_type" | "collapse_key")
        || ["google", "gcm"].iter().any(|prefix| name.starts_with(prefix));
    if is_reserved { format!("app_{name}") } else { name.to_owned() }
}

/// News and offers do not wake the device.
fn is_urgent(category: Category) -> bool {
    !matches!(category, Category::News | Category::Marketing)
}
