//! A cache of header maps, keyed by the list of header names.
//!
//! Responses of one kind have the same names in the same order, and building a header map hashes each name. Owns the
//! maps that were built before, so that the next response of the same kind clones one and only fills in its values.

use std::sync::OnceLock;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

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
    /// Builds the header map of a list.
    pub(crate) fn build_map(&self, headers: HeaderList) -> HeaderMap {
        let mut templates = self.templates.iter().map_while(OnceLock::get);
        match templates.find(|template| names_match(&template.names, &headers)) {
            Some(template) => {
                let mut map = template.map.clone();
                // A header map iterates in insertion order as long as nothing is removed, so values can be zipped in.
                let values = headers.into_iter().map(|(_, value)| value);
                map.values_mut().zip(values).for_each(|(slot, value)| *slot = value);
                map
            }
            None => self.insert_all(headers),
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
fn names_match(names: &[HeaderName], headers: &[(HeaderName, HeaderValue)]) -> bool {
    names.len() == headers.len()
        && names.iter().zip(headers).all(|(cached, (name, _))| {
            // Most names are constants, so comparing the pointers is usually enough.
            std::ptr::eq(cached.as_str(), name.as_str()) || cached == name
        })
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
            let mut map = cache.build_map(list(headers));
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
