//! The checksum of our own small files.
//!
//! Owns FNV-1a, which is enough to detect torn, zeroed and changed bytes. Does not own the checksums of the tree.

/// FNV-1a of 64 bits.
pub(crate) fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
