//! Stored values: what is read back from them, and that damage is noticed.

use model::{EffectivePartitionKey, EpkRange, Etag, Lsn, PartitionKey, TimestampSeconds};
use storage::StorageValue;

use crate::key_layout::{ChangePosition, ItemKey};
use crate::partition::{PartitionState, TrimmedVersions};
use crate::record::{ItemHeader, ItemRecord, LogEntry, LoggedItem, Removal, Version};
use crate::response::ItemResource;

fn epk(byte: u8) -> EffectivePartitionKey {
    EffectivePartitionKey::from_bytes(vec![byte, 0, 7])
}

fn key() -> ItemKey {
    ItemKey::new(&epk(1), &PartitionKey::from("pärtition\u{0}"), "the id")
}

fn record(previous: Lsn, timestamp: u64) -> ItemRecord {
    let header = ItemHeader {
        position: ChangePosition { lsn: Lsn(9), sequence: 3, ordinal: 5 },
        previous: ChangePosition { lsn: previous, sequence: 1, ordinal: 5 },
        timestamp: TimestampSeconds(timestamp),
        time_to_live: None,
        indexed: true,
        etag: Etag::from_bytes([7; Etag::BYTES]),
    };
    ItemRecord::new(header, &model::Json::parse(br#"{"id":"the id"}"#).unwrap(), 0)
}

#[test]
fn a_logged_item_has_the_parts_that_were_logged() {
    let (key, record) = (key(), record(Lsn(4), 11));
    let value = StorageValue::from(LogEntry::encode(&key, &record));
    let logged = LoggedItem::decode(value, 1).unwrap();
    assert_eq!(logged.key().id(), "the id");
    assert_eq!(logged.key().partition_key(), key.partition_key());
    assert_eq!(logged.key().epk(), epk(1));
    assert_eq!(logged.header(), record.header);
    assert_eq!(logged.previous(Lsn(9)), record.header.previous);
    assert_eq!(logged.text(), record.text());
    let item = ItemResource::from_change(&logged, Lsn(9));
    assert_eq!((item.text(), item.lsn()), (record.text(), Lsn(9)));
    assert_eq!((item.etag(), item.timestamp()), (record.header.etag, record.header.timestamp));
}

#[test]
fn a_superseded_version_is_read_like_a_logged_item_and_a_deletion_is_not() {
    let (key, record) = (key(), record(Lsn(4), 11));
    let logged = LoggedItem::decode(LogEntry::encode(&key, &record).into(), 1).unwrap();
    let previous = record.header.position;
    let superseded = Version::Superseded { key: key.clone(), record };
    let stored = StorageValue::from(superseded.encode(TimestampSeconds(20)));
    assert_eq!(Version::superseded(&stored, 1).unwrap(), Some(logged));
    let removal = Removal::Deleted;
    let removed = Version::Removed { key, removal, previous }.encode(TimestampSeconds(20));
    assert_eq!(Version::superseded(&removed.into(), 1).unwrap(), None);
}

#[test]
fn a_logged_item_that_is_cut_or_of_another_kind_is_refused() {
    let (key, record) = (key(), record(Lsn(4), 11));
    let whole = LogEntry::encode(&key, &record);
    let kept_min = whole.len() - record.text().len();
    for kept in 0..kept_min {
        let cut = StorageValue::copy_from_slice(&whole[..kept]);
        assert!(LoggedItem::decode(cut, 1).is_err(), "{kept} bytes");
    }
    assert!(LoggedItem::decode(StorageValue::copy_from_slice(&whole[..kept_min]), 1).is_ok());
    let mut foreign = whole.clone();
    foreign[2 + key.as_bytes().len()] = 0xEE;
    assert!(LoggedItem::decode(foreign.into(), 1).is_err(), "another format of records");
    let mut no_text = whole;
    no_text[1 + key.as_bytes().len()] = 0xFF;
    assert!(LoggedItem::decode(no_text.into(), 1).is_err(), "an id that is no text");
}

fn range(from: u8, to: u8) -> EpkRange {
    EpkRange { min: epk(from), max: epk(to) }
}

fn trimmed(lsn: u64) -> TrimmedVersions {
    TrimmedVersions::up_to(Lsn(lsn))
}

#[test]
fn what_is_gone_is_known_by_range_after_a_merge_and_survives_storing() {
    let mut marks = trimmed(10).merge(&range(0, 5), trimmed(50), &range(5, 9));
    marks.trim(Lsn(30), || epk(2));
    marks.forget(&record(Lsn(0), 77), TimestampSeconds(77));
    assert_eq!(marks.complete_from(), TimestampSeconds(0), "nobody can ask for it");
    marks.forget(&record(Lsn(0), 76), TimestampSeconds(77));
    let state = PartitionState { trimmed: marks, timestamp_seconds: 99, ..Default::default() };
    let state = PartitionState::decode(&state.encode()).unwrap();
    let lsn_in = |from, to| state.trimmed.lsn_in(&range(from, to)).0;
    assert_eq!((lsn_in(0, 5), lsn_in(5, 9), lsn_in(4, 6)), (30, 50, 50));
    assert_eq!(state.trimmed.complete_from(), TimestampSeconds(77));

    let again = state.trimmed.within(&range(3, 9)).merge(&range(3, 9), trimmed(5), &range(9, 12));
    let lsn_in = |from, to| again.lsn_in(&range(from, to)).0;
    assert_eq!((lsn_in(3, 5), lsn_in(5, 9), lsn_in(9, 12)), (30, 50, 5));
}

#[test]
fn a_state_without_the_second_counts_as_complete_from_its_newest_write() {
    for (lsn, complete_from) in [(0, 0), (40, 99)] {
        let state =
            PartitionState { trimmed: trimmed(lsn), timestamp_seconds: 99, ..Default::default() };
        let mut old = state.encode();
        old[0] = 1;
        // The old form ends before the second, the count of marks and the mark that all items are listed.
        old.truncate(old.len() - 8 - 2 - 2);
        let read = PartitionState::decode(&old).unwrap();
        assert_eq!(read.trimmed.lsn, Lsn(lsn));
        assert_eq!(read.trimmed.complete_from(), TimestampSeconds(complete_from));
    }
}
