//! The deep link of an event: what a tap on its notification opens.
//!
//! Ids are percent-encoded, so that no id can change the rest of the link.

use crate::domain::{EventPayload, EventType, TargetType};

/// The deep link of an event, such as `asora://post/p1`.
pub(crate) fn deeplink(scheme: &str, event_type: EventType, payload: &EventPayload) -> String {
    let target = match payload.target_type {
        TargetType::Post => "post",
        TargetType::Comment => "comment",
        TargetType::User => "user",
    };
    match event_type {
        EventType::PostLike
        | EventType::PostComment
        | EventType::PostShare
        | EventType::CommentReply
        | EventType::SafetyContentFlagged
        | EventType::NewsSystemUpdate
        | EventType::MarketingPromotion => {
            format!("{scheme}://{target}/{}", percent_encode(&payload.target_id))
        }
        EventType::FollowerNew => {
            let follower = payload.actor_id.as_deref().unwrap_or(&payload.target_id);
            format!("{scheme}://user/{}", percent_encode(follower))
        }
        EventType::SafetyAccountWarning => format!("{scheme}://settings/safety"),
        EventType::SecurityNewDevice
        | EventType::SecurityPasswordChanged
        | EventType::SecurityAccountLocked => format!("{scheme}://settings/security"),
    }
}

/// Encodes everything but the unreserved characters of RFC 3986.
fn percent_encode(id: &str) -> String {
    let mut result = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            result.push(char::from(byte));
        } else {
            result.push_str(&format!("%{byte:02X}"));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(event_type: EventType, target_type: TargetType, target: &str, expected: &str) {
        let payload = EventPayload {
            actor_id: Some("alice/1".to_owned()),
            actor_name: None,
            target_id: target.to_owned(),
            target_type,
            snippet: None,
            extra: serde_json::Map::new(),
        };
        assert_eq!(deeplink("asora", event_type, &payload), expected);
    }

    #[test]
    fn a_link_opens_what_the_event_is_about() {
        check(EventType::PostLike, TargetType::Post, "p1", "asora://post/p1");
        check(EventType::CommentReply, TargetType::Comment, "c1", "asora://comment/c1");
        check(EventType::FollowerNew, TargetType::User, "bob", "asora://user/alice%2F1");
        check(EventType::SecurityNewDevice, TargetType::User, "bob", "asora://settings/security");
    }

    #[test]
    fn an_id_cannot_change_the_link() {
        check(
            EventType::PostLike,
            TargetType::Post,
            "../x?y=1#ä",
            "asora://post/..%2Fx%3Fy%3D1%23%C3%A4",
        );
    }
}
