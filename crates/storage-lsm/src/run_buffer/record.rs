//! The record of a run in the keyspace `runs`: one for each batch that writes to the buffered space.
//!
//! Owns its bytes. Keys are stored as a difference to the key before, which they mostly share, and a value that is
//! equal to the one before is not repeated.
//!
//! ```text
//! number of the batch 8  ->  version 1 | number of the space 1 | entries
//! entry   shared key bytes | further key bytes | value | key bytes | value bytes
//! value   0: removed; 1: as before; n: n - 2 bytes
//! ```
//!
//! Numbers are in groups of 7 bits, lowest first, with the high bit on all but the last byte. Does not own a checksum:
//! the tree has one for its journal and for its blocks.

use super::run::SortedRun;

const VERSION: u8 = 1;
const REMOVED: u64 = 0;
const AS_BEFORE: u64 = 1;
const BYTES_FROM: u64 = 2;

/// The record of a run in the space with this number.
pub(crate) fn encode_run(space: u8, run: &SortedRun) -> Vec<u8> {
    // Most keys share half of their bytes with the one before.
    let mut record = Vec::with_capacity(run.size() / 2 + 64);
    record.extend_from_slice(&[VERSION, space]);
    let mut before: (&[u8], &[u8]) = (&[], &[]);
    for index in 0..run.len() {
        let Some((key, value)) = run.entry(index) else { break };
        let shared = shared_bytes(before.0, key);
        let rest = key.get(shared..).unwrap_or_default();
        push_number(&mut record, shared as u64);
        push_number(&mut record, rest.len() as u64);
        match value {
            None => push_number(&mut record, REMOVED),
            Some(value) if value == before.1 => push_number(&mut record, AS_BEFORE),
            Some(value) => push_number(&mut record, value.len() as u64 + BYTES_FROM),
        }
        record.extend_from_slice(rest);
        if let Some(value) = value.filter(|value| *value != before.1) {
            record.extend_from_slice(value);
        }
        before = (key, value.unwrap_or(before.1));
    }
    record
}

/// The run of a record, and the number of its space; `None` if the bytes are not one.
pub(crate) fn decode_run(batch: u64, record: &[u8]) -> Option<(u8, SortedRun)> {
    let mut run = SortedRun::of_batch(batch);
    let (&[version, space], mut rest) = record.split_first_chunk()?;
    if version != VERSION {
        return None;
    }
    let (mut key, mut before): (Vec<u8>, &[u8]) = (Vec::new(), &[]);
    while !rest.is_empty() {
        let shared = usize::try_from(take_number(&mut rest)?).ok()?;
        let further = usize::try_from(take_number(&mut rest)?).ok()?;
        let kind = take_number(&mut rest)?;
        let (head, tail) = rest.split_at_checked(further)?;
        // Ascending without a repetition, or a search would go wrong.
        let is_after = run.len() == 0 || key.get(shared..)? < head;
        if !is_after || shared > key.len() || shared + further > usize::from(u16::MAX) {
            return None;
        }
        key.truncate(shared);
        key.extend_from_slice(head);
        rest = tail;
        let value = match kind {
            REMOVED => None,
            AS_BEFORE => Some(before),
            bytes => {
                let bytes = usize::try_from(bytes - BYTES_FROM).ok()?;
                let (value, tail) = rest.split_at_checked(bytes)?;
                rest = tail;
                before = value;
                Some(value)
            }
        };
        run.push(&key, value);
    }
    Some((space, run))
}

fn shared_bytes(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

fn push_number(record: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            record.push(low);
            return;
        }
        record.push(low | 0x80);
    }
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// For fuzzing: a record is refused, or its run has its keys in order and is read again from the record made of it.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_run_record(bytes: &[u8]) {
    if let Some((space, run)) = decode_run(1, bytes) {
        assert!((1..run.len()).all(|index| run.key(index - 1) < run.key(index)), "in key order");
        assert_eq!(decode_run(1, &encode_run(space, &run)), Some((space, run)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_buffer::RunBuilder;

    fn run() -> SortedRun {
        let mut builder = RunBuilder::default();
        for (key, value) in [
            ("", Some("")),
            ("partition/a", Some("id")),
            ("partition/b", Some("id")),
            ("partition/b/c", None),
            ("partition/b/d", Some("id")),
            ("q", Some("another")),
        ] {
            builder.push(key.as_bytes(), value.map(str::as_bytes));
        }
        builder.push(&[0xFF; 300], Some(&[7; 300]));
        builder.finish(9)
    }

    #[test]
    fn a_record_is_read_back() {
        let record = encode_run(2, &run());
        assert_eq!(decode_run(9, &record), Some((2, run())));
        let empty = || SortedRun::of_batch(9);
        assert_eq!(decode_run(9, &encode_run(2, &empty())), Some((2, empty())));
    }

    #[test]
    fn shared_beginnings_and_repeated_values_are_stored_once() {
        let record = encode_run(2, &run());
        let text = String::from_utf8_lossy(&record);
        assert_eq!(text.matches("partition/").count(), 1);
        assert_eq!(text.matches("id").count(), 1);
    }

    #[test]
    fn a_shorter_record_and_one_that_is_not_in_order_are_refused() {
        let record = encode_run(2, &run());
        for length in 0..record.len() {
            let read = decode_run(9, &record[..length]);
            assert!(read.is_none_or(|(_, read)| read.len() < run().len()), "{length} bytes");
        }
        assert_eq!(decode_run(9, &[VERSION, 2, 0, 1, 0, b'b', 0, 1, 0, b'a']), None);
        assert_eq!(decode_run(9, &[VERSION, 2, 0, 1, 0, b'b', 1, 0, 0]), None);
        assert_eq!(decode_run(9, &[VERSION + 1, 2]), None);
    }
}
