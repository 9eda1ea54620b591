//! Parts of response heads that are built once.
//!
//! Responses of one kind have the same names in the same order, and building a header map hashes each name. Owns the
//! maps that were built before, so that the next response of the same kind clones one and only fills in its values; and
//! the values that only depend on the container, which every response about items has.

use std::sync::OnceLock;

use bytes::Bytes;
use engine::ContainerAddress;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::header_value::header_value;

/// How many kinds of responses are cached. Fewer kinds than this are frequent.
const TEMPLATES_MAX: usize = 32;
const EMPTY: HeaderValue = HeaderValue::from_static("");

/// The headers of a response in the order in which they were added. If two have the same name, the later one wins.
pub(crate) type HeaderList = Vec<(HeaderName, HeaderValue)>;

/// The header maps built before. Slots are filled from the front and never replaced, so lookups need no lock.
#[derive(Debug, Default)]
pub(crate) struct HeaderMapCache {
    // An array of cells and not a map behind a lock: every response looks here.
    templates: [OnceLock<HeaderMapTemplate>; TEMPLATES_MAX],
}

/// A header map with empty values.
#[derive(Debug)]
struct HeaderMapTemplate {
    map: HeaderMap,
    /// Its names in iteration order.
    names: Vec<HeaderName>,
}

impl HeaderMapCache {
    /// Builds the header map of a list, whose values `resolve` completes.
    pub(crate) fn build_map<V>(
        &self,
        headers: Vec<(HeaderName, V)>,
        resolve: impl Fn(V) -> HeaderValue,
    ) -> HeaderMap {
        let mut templates = self.templates.iter().map_while(OnceLock::get);
        match templates.find(|template| names_match(&template.names, &headers)) {
            Some(template) => {
                let mut map = template.map.clone();
                // A header map iterates in insertion order as long as nothing is removed, so values can be zipped in.
                let values = headers.into_iter().map(|(_, value)| resolve(value));
                map.values_mut().zip(values).for_each(|(slot, value)| *slot = value);
                map
            }
            None => {
                let headers = headers.into_iter().map(|(name, value)| (name, resolve(value)));
                self.insert_all(headers.collect())
            }
        }
    }

    /// Builds a map name by name and caches it if a slot is free.
    fn insert_all(&self, headers: HeaderList) -> HeaderMap {
        let count = headers.len();
        let mut map = HeaderMap::with_capacity(count);
        for (name, value) in headers {
            map.insert(name, value);
        }
        // If a name occurred twice, the map has fewer entries than the list and zipping would shift the values.
        let is_cacheable = map.len() == count;
        let free = self.templates.iter().find(|slot| slot.get().is_none());
        if let Some(slot) = free.filter(|_| is_cacheable) {
            let names = map.keys().cloned().collect();
            let mut template = HeaderMapTemplate { map: map.clone(), names };
            template.map.values_mut().for_each(|value| *value = EMPTY);
            // Another request may have filled the slot meanwhile; this kind is then cached the next time.
            let _ = slot.set(template);
        }
        map
    }
}

/// Compares names and their order.
fn names_match<V>(names: &[HeaderName], headers: &[(HeaderName, V)]) -> bool {
    names.len() == headers.len()
        && names.iter().zip(headers).all(|(cached, (name, _))| {
            // Most names are constants, so comparing the pointers is usually enough.
            std::ptr::eq(cached.as_str(), name.as_str()) || cached == name
        })
}

/// The first physical partitions, whose ids are kept; those of others are printed each time.
const PARTITIONS_KEPT: usize = 8;

/// The headers of one container.
#[derive(Debug)]
pub(crate) struct ContainerHeaders {
    /// Its resource id.
    pub(crate) content_path: HeaderValue,
    /// Its path by names.
    pub(crate) owner_full_name: HeaderValue,
    partitions: [OnceLock<PartitionIds>; PARTITIONS_KEPT],
}

/// The two UUIDs of a physical partition, which clients print in diagnostics.
#[derive(Clone, Debug)]
pub(crate) struct PartitionIds {
    pub(crate) internal: HeaderValue,
    pub(crate) physical: HeaderValue,
}

impl ContainerHeaders {
    pub(crate) fn new(container: &ContainerAddress) -> Self {
        let link = &container.link;
        let path = format!("dbs/{}/colls/{}", link.database, link.container);
        Self {
            content_path: printed(container.rid.to_string()),
            owner_full_name: printed(path),
            partitions: Default::default(),
        }
    }

    /// The ids of a physical partition of the container.
    pub(crate) fn partition_ids(&self, container: &ContainerAddress, number: u32) -> PartitionIds {
        let kept = usize::try_from(number).ok().and_then(|index| self.partitions.get(index));
        match kept {
            Some(kept) => kept.get_or_init(|| PartitionIds::new(container, number)).clone(),
            None => PartitionIds::new(container, number),
        }
    }
}

impl PartitionIds {
    fn new(container: &ContainerAddress, number: u32) -> Self {
        let id = |kind| {
            let mut text = [0; Hyphenated::LENGTH];
            let uuid = partition_id(container, number, kind);
            printed(uuid.hyphenated().encode_lower(&mut text).to_owned())
        };
        Self { internal: id(0x8000), physical: id(0x9000) }
    }
}

/// The UUID of a physical partition. It is derived from the container and the number, so that it is stable.
fn partition_id(address: &ContainerAddress, number: u32, kind: u16) -> Uuid {
    let bytes = address.rid.as_bytes();
    let container = bytes.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let (high, low) = (container >> 16 & 0xFFFF_FFFF_FFFF, container & 0xFFFF);
    // The version of the UUID, and the kind in place of its variant.
    let kinds = 0x4000 << 64 | u128::from(kind) << 48;
    Uuid::from_u128(high << 80 | kinds | low << 32 | u128::from(number))
}

fn printed(text: String) -> HeaderValue {
    // Characters that headers cannot carry are escaped, so that every text is a value.
    header_value(Bytes::from(text)).unwrap_or(HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(headers: &[(&'static str, &'static str)]) -> HeaderList {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        headers.iter().map(pair).collect()
    }

    /// Builds a map twice; the second time it may come from the cache.
    fn check(cache: &HeaderMapCache, headers: &[(&'static str, &'static str)]) {
        let mut expected = HeaderMap::new();
        for (name, value) in list(headers) {
            expected.insert(name, value);
        }
        for _ in 0..2 {
            let mut map = cache.build_map(list(headers), |value| value);
            assert_eq!(map, expected);
            for (name, value) in list(headers) {
                assert_eq!(map.get_all(&name).iter().count(), 1);
                assert!(map.insert(name, value).is_some());
            }
            map.insert("another", EMPTY);
            assert_eq!(map.len(), expected.len() + 1);
        }
    }

    #[test]
    fn a_map_has_the_headers_of_the_list() {
        let cache = HeaderMapCache::default();
        check(&cache, &[]);
        check(&cache, &[("content-type", "a"), ("lsn", "1"), ("etag", "x")]);
        check(&cache, &[("content-type", "b"), ("lsn", "2"), ("etag", "y")]);
        check(&cache, &[("content-type", "b"), ("etag", "y"), ("lsn", "2")]);
        check(&cache, &[("content-type", "b"), ("lsn", "2")]);
        check(&cache, &[("content-type", "b"), ("lsn", "2"), ("etab", "y")]);
        assert_eq!(cache.templates.iter().filter(|slot| slot.get().is_some()).count(), 5);
    }

    #[test]
    fn the_later_of_two_headers_with_the_same_name_wins() {
        let cache = HeaderMapCache::default();
        check(&cache, &[("etag", "x"), ("lsn", "1"), ("etag", "y")]);
        assert!(cache.templates.iter().all(|slot| slot.get().is_none()));
    }

    #[test]
    fn kinds_beyond_the_size_of_the_cache_are_built_each_time() {
        let cache = HeaderMapCache::default();
        for length in 1..2 * TEMPLATES_MAX {
            let name: &'static str = "n".repeat(length).leak();
            check(&cache, &[("content-type", "a"), (name, "v")]);
        }
        assert!(cache.templates.iter().all(|slot| slot.get().is_some()));
    }
}
