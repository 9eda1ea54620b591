//! The message id of one push to one device. It is the same each time the push is sent.
//!
//! It is derived from the content, so that a provider or receiver can drop a second copy. When an event is merged into
//! the notification, the texts change and with them the id.

use ring::digest::{Context, SHA256};

use super::push::Push;
use crate::domain::Device;

/// A UUID of version 8, derived from the notification, its texts and the device.
pub(super) fn uuid(device: &Device, push: &Push) -> String {
    let mut context = Context::new(&SHA256);
    for part in [&push.notification_id, &device.id, &push.title, &push.body] {
        // With its length, so that moving characters between parts gives another id.
        context.update(&part.len().to_be_bytes());
        context.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    for (byte, digest) in bytes.iter_mut().zip(context.finish().as_ref()) {
        *byte = *digest;
    }
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}
