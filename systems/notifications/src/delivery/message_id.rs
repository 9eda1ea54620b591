//! A name for one push to one device that is the same each time it is sent.
//!
//! Owns making it from what is sent, so that a provider or receiver can tell a second copy from a second message. Does
//! not own ids of notifications.

use ring::digest::{Context, SHA256};

use super::push::Push;
use crate::domain::Device;

/// A UUID (version 8: made by us) of the notification, its texts and the device.
pub(super) fn uuid(device: &Device, push: &Push) -> String {
    let mut context = Context::new(&SHA256);
    for part in [&push.notification_id, &device.id, &push.title, &push.body] {
        context.update(&part.len().to_be_bytes());
        context.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    for (byte, digest) in bytes.iter_mut().zip(context.finish().as_ref()) {
        *byte = *digest;
    }
    // The six bits that say which kind of UUID it is.
    let number =
        u128::from_be_bytes(bytes) & !(0xF << 76) & !(0x3 << 62) | (0x8 << 76) | (0x2 << 62);
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}
