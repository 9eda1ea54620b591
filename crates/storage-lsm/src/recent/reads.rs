//! Values, values read together and short pages, and the numbers of the batches that write.
//!
//! Owns where each of them lies, and what a batch empties. Does not own the rule for using them: see `shelf`.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use foldhash::fast::RandomState;
use storage::{Scan, ScanPage, Shard, Space, StorageKey, StorageValue};

use super::page::{NamedScan, PageName, compact, kept_bytes};
use super::region::{REGION_BYTES, place_in_tree};
use super::shelf::{Label, SeenBatch, Shelf};
use super::together::{self, KeysName, NamedKeys, Values};

const VALUE_SLOTS: usize = 1024;
const PAGE_SLOTS: usize = 128;
const TOGETHER_SLOTS: usize = 64;
/// Of the memory, one byte in so many is for pages, and one for values read together.
const PAGES_SHARE: u64 = 8;
const TOGETHER_SHARE: u64 = 4;
/// What a value takes besides its key and itself, roughly.
const VALUE_BYTES: usize = 128;

/// Values by key, values by the keys they were read with, and pages by scan.
pub(crate) struct Recent {
    values: Shelf<ValueName, StorageValue>,
    together: Shelf<KeysName, Values>,
    pages: Shelf<PageName, ScanPage>,
    hashes: RandomState,
    /// The last batch that every new view sees.
    visible: AtomicU64,
}

/// A key of the tree, hashed once.
pub(crate) struct HashedKey<'key> {
    hash: u64,
    space: u8,
    key: &'key [u8],
}

struct ValueName {
    space: u8,
    key: Bytes,
}

/// The places that a batch writes to, one after the other.
pub(crate) struct Writing<'recent> {
    recent: &'recent Recent,
    batch: u64,
    /// The region that was emptied last: keys come in order, and many share theirs.
    region: Option<(u8, [u8; REGION_BYTES])>,
}

impl Recent {
    pub(crate) fn new(bytes_max: u64) -> Self {
        let (for_pages, for_together) = (bytes_max / PAGES_SHARE, bytes_max / TOGETHER_SHARE);
        Self {
            values: Shelf::new(bytes_max - for_pages - for_together, VALUE_SLOTS),
            together: Shelf::new(for_together, TOGETHER_SLOTS),
            pages: Shelf::new(for_pages, PAGE_SLOTS),
            hashes: RandomState::default(),
            visible: AtomicU64::new(0),
        }
    }

    /// To be asked before a view is taken.
    pub(crate) fn seen(&self) -> SeenBatch {
        SeenBatch(self.visible.load(Ordering::Acquire))
    }

    /// The value of a key of the tree in a view, if it is here.
    pub(crate) fn get(&self, seen: SeenBatch, key: &HashedKey<'_>) -> Option<StorageValue> {
        self.values.get(seen, key.label(), |name| key.is(name))
    }

    /// Offers what a view says of a key that is not here.
    pub(crate) fn offer(&self, seen: SeenBatch, key: &HashedKey<'_>, value: &StorageValue) {
        let bytes = VALUE_BYTES + key.key.len() + value.len();
        self.values.offer(
            seen,
            key.label(),
            bytes,
            |name| key.is(name),
            || {
                // A copy: the value itself may keep a whole block in memory. Behind its key: whoever compares the
                // one wants the other.
                let mut copy = Bytes::from_owner([key.key, value].concat());
                let name = ValueName { space: key.space, key: copy.split_to(key.key.len()) };
                (name, copy)
            },
        );
    }

    /// Keys as their values are looked for here together; none when they never are.
    pub(crate) fn named_keys<'keys>(
        &self,
        shard: Shard,
        space: Space,
        keys: &'keys [StorageKey],
    ) -> Option<NamedKeys<'keys>> {
        NamedKeys::new(&self.hashes, shard, space, keys)
    }

    /// The values of keys in a view, if they are here together.
    pub(crate) fn together(&self, seen: SeenBatch, keys: &NamedKeys<'_>) -> Option<Values> {
        self.together.get(seen, keys.label, |name| keys.is(name))
    }

    /// Offers what a view says of keys whose values are not here together.
    pub(crate) fn offer_together(&self, seen: SeenBatch, keys: &NamedKeys<'_>, values: &Values) {
        let (bytes, is) = (keys.kept_bytes(values), |name: &KeysName| keys.is(name));
        let make = || (keys.to_name(), together::compact(values));
        self.together.offer(seen, keys.label, bytes, is, make);
    }

    /// A scan as its page is looked for here; none when it is never here.
    pub(crate) fn named_scan<'scan>(
        &self,
        shard: Shard,
        space: Space,
        scan: &'scan Scan,
    ) -> Option<NamedScan<'scan>> {
        NamedScan::new(&self.hashes, shard, space, scan)
    }

    /// The page of a scan in a view, if it is here.
    pub(crate) fn page(&self, seen: SeenBatch, scan: &NamedScan<'_>) -> Option<ScanPage> {
        self.pages.get(seen, scan.label, |name| scan.is(name))
    }

    /// Offers what a view says of a scan whose page is not here.
    pub(crate) fn offer_page(&self, seen: SeenBatch, scan: &NamedScan<'_>, page: &ScanPage) {
        let (bytes, is) = (kept_bytes(page), |name: &PageName| scan.is(name));
        self.pages.offer(seen, scan.label, bytes, is, || (scan.to_name(), compact(page)));
    }

    /// Begins the next batch. One thread writes, so there is one at a time.
    pub(crate) fn writing(&self) -> Writing<'_> {
        Writing { recent: self, batch: self.next_batch(), region: None }
    }

    /// The number of the next batch.
    pub(crate) fn next_batch(&self) -> u64 {
        self.visible.load(Ordering::Acquire) + 1
    }

    /// Every view from now on sees a batch.
    pub(crate) fn is_visible(&self, batch: u64) {
        self.visible.store(batch, Ordering::Release);
    }

    /// A key of the tree as it is looked for here.
    pub(crate) fn hashed<'key>(&self, space: Space, key: &'key [u8]) -> HashedKey<'key> {
        let hash = self.hashes.hash_one((space.number, key));
        HashedKey { hash, space: space.number, key }
    }
}

impl HashedKey<'_> {
    fn label(&self) -> Label {
        Label { place: self.hash, name: self.hash }
    }

    fn is(&self, name: &ValueName) -> bool {
        self.space == name.space && *self.key == *name.key
    }
}

impl Writing<'_> {
    /// Takes out what is known of a key that the batch is about to write, and of its surroundings.
    pub(crate) fn key(&mut self, space: Space, key: &[u8]) {
        let recent = self.recent;
        recent.values.written(self.batch, recent.hashed(space, key).hash);
        // Shorter keys lie in no region.
        let Some(region) = key.first_chunk::<REGION_BYTES>() else { return };
        let region = (space.number, *region);
        if self.region != Some(region) {
            let place = place_in_tree(&recent.hashes, space, &region.1);
            recent.pages.written(self.batch, place);
            recent.together.written(self.batch, place);
            self.region = Some(region);
        }
    }
}

#[cfg(test)]
mod tests {
    use storage::{Entry, KeyRange, ScanLimit};

    use super::*;

    const SPACE: Space = Space { name: "space", number: 3 };
    const OTHER: Space = Space { name: "other", number: 4 };
    const SHARD: Shard = Shard(9);
    const REGION: &[u8] = b"seventeen letters";

    fn value(text: &'static str) -> StorageValue {
        StorageValue::from_static(text.as_bytes())
    }

    fn offer_twice(recent: &Recent, seen: SeenBatch, text: &'static str) {
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value(text));
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value(text));
    }

    fn write(recent: &Recent, key: &[u8]) {
        recent.writing().key(SPACE, key);
        recent.is_visible(recent.next_batch());
    }

    fn scan(beginning: &[u8]) -> Scan {
        Scan::forward(KeyRange::prefix(beginning), ScanLimit::entries(20))
    }

    fn page() -> ScanPage {
        let key = |text: &str| StorageKey::from([REGION, text.as_bytes()].concat());
        let entries = vec![
            Entry { key: key("one"), value: value("1") },
            Entry { key: key("other"), value: StorageValue::new() },
        ];
        ScanPage { entries, more: true }
    }

    /// Offers the page of a scan twice.
    fn offer_page(recent: &Recent, seen: SeenBatch, scan: &Scan) {
        let named = recent.named_scan(SHARD, SPACE, scan).unwrap();
        recent.offer_page(seen, &named, &page());
        recent.offer_page(seen, &named, &page());
    }

    fn kept(recent: &Recent, scan: &Scan) -> Option<ScanPage> {
        recent.page(recent.seen(), &recent.named_scan(SHARD, SPACE, scan)?)
    }

    fn tree_key(shard: Shard, key: &[u8]) -> Vec<u8> {
        [&shard.0.to_be_bytes(), key].concat()
    }

    #[test]
    fn a_value_is_kept_when_it_is_offered_again() {
        let recent = Recent::new(1 << 20);
        let seen = recent.seen();
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value("a"));
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), None);
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value("a"));
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), Some(value("a")));
        assert_eq!(recent.get(seen, &recent.hashed(OTHER, b"key")), None);
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"ke")), None);
    }

    #[test]
    fn a_write_takes_the_value_out_before_it_is_visible() {
        let recent = Recent::new(1 << 20);
        let seen = recent.seen();
        offer_twice(&recent, seen, "a");
        recent.writing().key(SPACE, b"key");
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), None);
    }

    #[test]
    fn an_old_view_puts_nothing_in_and_takes_nothing_younger_out() {
        let recent = Recent::new(1 << 20);
        let old = recent.seen();
        let batch = recent.next_batch();
        recent.writing().key(SPACE, b"key");
        // The tree has the write, but it is not known to be visible yet: a view taken now may be either.
        let during = recent.seen();
        offer_twice(&recent, during, "a");
        recent.is_visible(batch);
        offer_twice(&recent, old, "a");
        assert_eq!(recent.get(recent.seen(), &recent.hashed(SPACE, b"key")), None);
        let new = recent.seen();
        offer_twice(&recent, new, "b");
        assert_eq!(recent.get(new, &recent.hashed(SPACE, b"key")), Some(value("b")));
        assert_eq!(recent.get(old, &recent.hashed(SPACE, b"key")), None);
        assert_eq!(recent.get(during, &recent.hashed(SPACE, b"key")), None);
    }

    #[test]
    fn writes_of_other_keys_leave_a_value_for_the_views_that_had_it() {
        let recent = Recent::new(1 << 20);
        let seen = recent.seen();
        offer_twice(&recent, seen, "a");
        let mut writing = recent.writing();
        for number in 0..100_000_u32 {
            writing.key(SPACE, &number.to_be_bytes());
        }
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), Some(value("a")));
        recent.is_visible(recent.next_batch());
        assert_eq!(recent.get(recent.seen(), &recent.hashed(SPACE, b"key")), Some(value("a")));
        write(&recent, b"key");
        assert_eq!(recent.get(recent.seen(), &recent.hashed(SPACE, b"key")), None);
    }

    #[test]
    fn a_page_is_kept_until_its_region_is_written() {
        let recent = Recent::new(1 << 24);
        let (wanted, longer) = (scan(REGION), scan(&[REGION, b"o".as_slice()].concat()));
        let named = recent.named_scan(SHARD, SPACE, &longer).unwrap();
        recent.offer_page(recent.seen(), &named, &page());
        assert_eq!(kept(&recent, &longer), None, "asked for once");
        recent.offer_page(recent.seen(), &named, &page());
        assert_eq!(kept(&recent, &longer), Some(page()));
        let mut fewer = longer.clone();
        fewer.limit.entries_max = 19;
        let backward = Scan::backward(longer.range.clone(), longer.limit);
        for other in [&fewer, &backward] {
            assert_eq!(kept(&recent, other), None, "{other:?}");
        }
        assert!(
            recent.named_scan(SHARD, SPACE, &wanted).is_none(),
            "its end lies in the next region"
        );
        let beside = [b"sixteen letters..".as_slice(), b"o"].concat();
        write(&recent, &tree_key(SHARD, &beside));
        write(&recent, &tree_key(Shard(8), &[REGION, b"on"].concat()));
        write(&recent, b"short");
        assert_eq!(kept(&recent, &longer), Some(page()));
        write(&recent, &tree_key(SHARD, &[REGION, b"x"].concat()));
        assert_eq!(kept(&recent, &longer), None, "a neighbour was written");
        offer_page(&recent, recent.seen(), &longer);
        assert_eq!(kept(&recent, &longer), Some(page()));
    }

    #[test]
    fn values_read_together_are_kept_until_their_region_is_written() {
        let recent = Recent::new(1 << 24);
        let key = |number: u8| StorageKey::from([REGION, &[number]].concat());
        let keys: Vec<StorageKey> = (0..5).map(key).collect();
        let mut values: Values = (0..5).map(|number| Some(vec![number; 9].into())).collect();
        values[3] = None;
        let kept = |keys: &[StorageKey]| {
            recent.together(recent.seen(), &recent.named_keys(SHARD, SPACE, keys).unwrap())
        };
        let offer = || {
            let named = recent.named_keys(SHARD, SPACE, &keys).unwrap();
            recent.offer_together(recent.seen(), &named, &values);
        };
        offer();
        assert_eq!(kept(&keys), None, "asked for once");
        offer();
        assert_eq!(kept(&keys), Some(values.clone()));
        let others: Vec<StorageKey> = (1..6).map(key).collect();
        assert_eq!(kept(&others), None);
        assert_eq!(kept(&keys[..4]), None);
        write(&recent, &tree_key(Shard(8), &key(0)));
        write(&recent, &tree_key(SHARD, b"elsewhere, with a long name"));
        assert_eq!(kept(&keys), Some(values.clone()));
        write(&recent, &tree_key(SHARD, &key(99)));
        assert_eq!(kept(&keys), None, "a neighbour was written");
        assert!(recent.named_keys(SHARD, SPACE, &keys[..3]).is_none(), "few");
        let far = [keys.as_slice(), &[StorageKey::from_static(b"in another region altogether")]];
        assert!(recent.named_keys(SHARD, SPACE, &far.concat()).is_none());
    }

    #[test]
    fn one_batch_empties_every_region_it_writes_to() {
        let recent = Recent::new(1 << 24);
        let regions = [b'a', b'b', b'c'].map(|letter| [letter; 17]);
        let scans = regions.each_ref().map(|key| scan(&[key.as_slice(), b"."].concat()));
        scans.iter().for_each(|scan| offer_page(&recent, recent.seen(), scan));
        assert!(scans.iter().all(|scan| kept(&recent, scan).is_some()));
        let mut writing = recent.writing();
        for key in regions.iter().take(2).flat_map(|key| [key, key]) {
            writing.key(SPACE, &tree_key(SHARD, key));
        }
        let kept = scans.each_ref().map(|scan| kept(&recent, scan).is_some());
        assert_eq!(kept, [false, false, true]);
    }

    #[test]
    fn long_pages_and_wide_scans_are_not_kept() {
        let recent = Recent::new(1 << 24);
        let mut long = scan(&[REGION, b"o".as_slice()].concat());
        long.limit.entries_max = 1_000;
        assert!(recent.named_scan(SHARD, SPACE, &long).is_none());
        for range in [KeyRange::all(), KeyRange::prefix(b"s")] {
            let wide = Scan::forward(range, ScanLimit::entries(20));
            assert!(recent.named_scan(SHARD, SPACE, &wide).is_none(), "{wide:?}");
        }
        let large = scan(&[REGION, b"l".as_slice()].concat());
        let named = recent.named_scan(SHARD, SPACE, &large).unwrap();
        let entry = Entry { key: StorageKey::new(), value: StorageValue::from(vec![1; 4096]) };
        let page = ScanPage { entries: vec![entry; 20], more: false };
        recent.offer_page(recent.seen(), &named, &page);
        recent.offer_page(recent.seen(), &named, &page);
        assert_eq!(kept(&recent, &large), None);
    }

    #[test]
    fn memory_is_bounded() {
        let recent = Recent::new(VALUE_SLOTS as u64 * 1024);
        let seen = recent.seen();
        let large = StorageValue::from(vec![1; 600]);
        let mut kept = 0;
        for number in 0..20_000_u32 {
            let key = number.to_be_bytes();
            let value = if number % 2 == 0 { value("small") } else { large.clone() };
            recent.offer(seen, &recent.hashed(SPACE, &key), &value);
            recent.offer(seen, &recent.hashed(SPACE, &key), &value);
            let is_kept = recent.get(seen, &recent.hashed(SPACE, &key)).is_some();
            assert_eq!(is_kept, number % 2 == 0, "too large to be kept");
        }
        for number in 0..20_000_u32 {
            kept += usize::from(
                recent.get(seen, &recent.hashed(SPACE, &number.to_be_bytes())).is_some(),
            );
        }
        assert!((VALUE_SLOTS..=VALUE_SLOTS * 1024 / VALUE_BYTES).contains(&kept), "{kept}");
    }
}
