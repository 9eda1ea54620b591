//! The APNs payload: its JSON and its size limit.

use serde_json::{Value, json};

use crate::delivery::fit_text::fit_text;
use crate::delivery::push::Push;
use crate::domain::Category;

const PAYLOAD_BYTES_MAX: usize = 4096;

/// The request body.
///
/// # Errors
/// The size without any text, if even that is too large.
pub(super) fn encode(push: &Push) -> Result<String, usize> {
    let size = |title: &str, body: &str| payload(push, title, body).to_string().len();
    // The size is measured on the whole JSON: escaping makes text longer in ways that cannot be computed from its
    // characters.
    let texts = fit_text(&push.title, &push.body, PAYLOAD_BYTES_MAX, size)?;
    Ok(payload(push, &texts.title, &texts.body).to_string())
}

/// 10 is immediate; 5 lets the device save power.
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
        // Nested, so that no name in it can collide with `aps`.
        "data": push.data,
    })
}
