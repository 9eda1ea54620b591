//! MurmurHash3, the public-domain hash of partition keys.
//!
//! Owns the 32-bit and the 128-bit (x64) variants. Clients compute the same hashes, so the results must never change.
//! Does not own what is hashed.

/// The 32-bit variant.
pub(crate) fn murmur3_x86_32(bytes: &[u8], seed: u32) -> u32 {
    const C1: u32 = 0xCC9E_2D51;
    const C2: u32 = 0x1B87_3593;
    let mix = |block: u32| block.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);

    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut hash = seed;
    for block in blocks {
        hash ^= mix(u32::from_le_bytes(*block));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xE654_6B64);
    }
    // Padding the tail with zeros does not change what it mixes to, and an empty tail mixes to zero.
    hash ^= mix(u32::from_le_bytes(padded(tail)));
    // The algorithm takes the length modulo 2^32.
    hash ^= length_bits(bytes) as u32;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85EB_CA6B);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xC2B2_AE35);
    hash ^ (hash >> 16)
}

/// The 128-bit variant for 64-bit machines; the first half is in the low bits.
pub(crate) fn murmur3_x64_128(bytes: &[u8], seed: u64) -> u128 {
    const C1: u64 = 0x87C3_7B91_1142_53D5;
    const C2: u64 = 0x4CF5_AD43_2745_937F;
    let mix_first = |block: u64| block.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let mix_second = |block: u64| block.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);

    let (blocks, tail) = bytes.as_chunks::<16>();
    let (mut first, mut second) = (seed, seed);
    for block in blocks {
        let (low, high) = halves(u128::from_le_bytes(*block));
        first ^= mix_first(low);
        first = first.rotate_left(27).wrapping_add(second);
        first = first.wrapping_mul(5).wrapping_add(0x52DC_E729);
        second ^= mix_second(high);
        second = second.rotate_left(31).wrapping_add(first);
        second = second.wrapping_mul(5).wrapping_add(0x3849_5AB5);
    }
    // An empty half mixes to zero, as above.
    let (low, high) = halves(u128::from_le_bytes(padded(tail)));
    first ^= mix_first(low) ^ length_bits(bytes);
    second ^= mix_second(high) ^ length_bits(bytes);
    first = first.wrapping_add(second);
    second = second.wrapping_add(first);
    first = finish(first);
    second = finish(second);
    first = first.wrapping_add(second);
    second = second.wrapping_add(first);
    u128::from(first) | (u128::from(second) << 64)
}

/// The finalizer of MurmurHash3: every input bit affects every output bit.
fn finish(mut half: u64) -> u64 {
    half ^= half >> 33;
    half = half.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    half ^= half >> 33;
    half = half.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    half ^ (half >> 33)
}

/// The length of the input, which the algorithm mixes in.
fn length_bits(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

/// The low and the high half of a block.
fn halves(block: u128) -> (u64, u64) {
    (block as u64, (block >> 64) as u64)
}

/// The last, incomplete block, padded with zeros.
fn padded<const BLOCK_BYTES: usize>(tail: &[u8]) -> [u8; BLOCK_BYTES] {
    let mut block = [0; BLOCK_BYTES];
    for (slot, byte) in block.iter_mut().zip(tail) {
        *slot = *byte;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_of_the_32_bit_variant() {
        let cases: [(&[u8], u32, u32); 10] = [
            (b"", 0, 0),
            (b"", 1, 0x514E_28B7),
            (b"", 0xFFFF_FFFF, 0x81F1_6F39),
            (&[0xFF; 4], 0, 0x7629_3B50),
            (&[0x21, 0x43, 0x65, 0x87], 0, 0xF55B_516B),
            (&[0x21, 0x43, 0x65, 0x87], 0x5082_EDEE, 0x2362_F9DE),
            (&[0x21, 0x43, 0x65], 0, 0x7E4A_8634),
            (&[0x21, 0x43], 0, 0xA0F7_B07A),
            (&[0x21], 0, 0x7266_1CF4),
            (b"The quick brown fox jumps over the lazy dog", 0x9747_B28C, 0x2FA8_26CD),
        ];
        for (bytes, seed, expected) in cases {
            assert_eq!(murmur3_x86_32(bytes, seed), expected, "{bytes:?} {seed}");
        }
    }

    #[test]
    fn known_values_of_the_128_bit_variant() {
        let fox = b"The quick brown fox jumps over the lazy dog";
        let halves_of = |bytes: &[u8]| halves(murmur3_x64_128(bytes, 0));
        assert_eq!(halves_of(b""), (0, 0));
        assert_eq!(halves_of(b"hello"), (0xCBD8_A7B3_41BD_9B02, 0x5B1E_906A_48AE_1D19));
        assert_eq!(halves_of(fox), (0xE34B_BC7B_BC07_1B6C, 0x7A43_3CA9_C49A_9347));
    }
}
