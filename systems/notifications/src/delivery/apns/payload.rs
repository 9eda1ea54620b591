//! The payload as APNs takes it.
//!
//! Owns its JSON and its limit. Does not own the headers beside it.

use serde_json::{Value, json};

use crate::delivery::fit_text::fit;
use crate::delivery::push::Push;
use crate::domain::Category;

const PAYLOAD_BYTES_MAX: usize = 4096;

/// The request's body; or, when no cut of the texts suffices, how many bytes there are without them.
pub(super) fn encode(push: &Push) -> Result<String, usize> {
    let sized = |title: &str, body: &str| payload(push, title, body).to_string().len();
    let texts = fit(&push.title, &push.body, PAYLOAD_BYTES_MAX, sized)?;
    Ok(payload(push, &texts.title, &texts.body).to_string())
}

/// News and offers wait until it suits the device.
pub(super) fn priority(category: Category) -> &'static str {
    if matches!(category, Category::News | Category::Marketing) { "5" } else { "10" }
}

fn payload(push: &Push, title: &str, body: &str) -> Value {
    let mut aps = json!({
        "alert": { "title": title, "body": body },
        "thread-id": push.category.name().to_lowercase(),
        "category": push.category.name(),
    });
    if let Some(members) = aps.as_object_mut() {
        if let Some(badge) = push.badge {
            members.insert("badge".to_owned(), badge.into());
        }
        if priority(push.category) == "10" {
            members.insert("sound".to_owned(), "default".into());
        }
    }
    json!({
        "aps": aps,
        "deeplink": push.deeplink,
        "notificationId": push.notification_id,
        // Below a name of its own, so that nothing in it can be taken for `aps`.
        "data": push.data,
    })
}
