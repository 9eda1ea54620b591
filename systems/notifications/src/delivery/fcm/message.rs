//! The message as FCM takes it.
//!
//! Owns its JSON and its limit. Does not own sending.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::delivery::fit_text::{FittedText, fit};
use crate::delivery::push::Push;
use crate::domain::Category;

/// Bytes of a message at most, its token not counted.
const PAYLOAD_BYTES_MAX: usize = 4096;
/// How long a message waits for a device that is off.
pub(super) const LIFE_SECONDS: u64 = 86_400;

/// The request's body; or, when no cut of the texts suffices, how many bytes there are without them.
pub(super) fn encode(push: &Push, push_token: &str, now_seconds: u64) -> Result<String, usize> {
    let sized = |title: &str, body: &str| {
        let texts = FittedText { title: title.to_owned(), body: body.to_owned() };
        message(push, &texts, now_seconds).to_string().len()
    };
    let texts = fit(&push.title, &push.body, PAYLOAD_BYTES_MAX, sized)?;
    let mut message = message(push, &texts, now_seconds);
    if let Some(members) = message.as_object_mut() {
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
            "ttl": format!("{LIFE_SECONDS}s"),
            "collapse_key": push.collapse_id,
            "notification": {
                "channel_id": push.category.name().to_lowercase(),
                // What is already shown is replaced; the collapse key only concerns what still waits.
                "tag": push.collapse_id,
            },
        },
        "apns": {
            "headers": {
                "apns-priority": if is_urgent(push.category) { "10" } else { "5" },
                "apns-expiration": (now_seconds + LIFE_SECONDS).to_string(),
                "apns-collapse-id": push.collapse_id,
            },
            "payload": { "aps": aps(push) },
        },
    })
}

/// Beside `notification`, which fills the alert.
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
        push.data.iter().map(|(name, value)| (allowed_name(name), value.as_str())).collect();
    data.insert("notificationId".to_owned(), &push.notification_id);
    data.insert("category".to_owned(), push.category.name());
    data.insert("deeplink".to_owned(), &push.deeplink);
    data
}

/// FCM keeps some names for itself and refuses a message that uses one.
fn allowed_name(name: &str) -> String {
    let is_reserved = matches!(name, "from" | "message_type" | "collapse_key")
        || ["google", "gcm"].iter().any(|beginning| name.starts_with(beginning));
    if is_reserved { format!("app_{name}") } else { name.to_owned() }
}

/// News and offers wait until the device is awake.
fn is_urgent(category: Category) -> bool {
    !matches!(category, Category::News | Category::Marketing)
}
