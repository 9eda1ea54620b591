//! Tables of headers that were built before.
//!
//! Answers of one kind have the same names in the same order, and building the table of a response hashes each of them.
//! Owns the tables by their names, so that the next answer of a kind only puts its values into a copy.

use std::sync::OnceLock;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

/// Kinds of answers that are remembered; there are fewer that are frequent.
const TABLES: usize = 32;
const NO_VALUE: HeaderValue = HeaderValue::from_static("");

/// The headers of an answer in the order in which they were told; of two with one name, the later counts.
pub(crate) type HeaderList = Vec<(HeaderName, HeaderValue)>;

/// The tables built before.
#[derive(Debug, Default)]
pub(crate) struct HeaderTables {
    known: [OnceLock<Known>; TABLES],
}

/// A table without its values.
#[derive(Debug)]
struct Known {
    table: HeaderMap,
    /// Its names in their order.
    names: Vec<HeaderName>,
}

impl HeaderTables {
    /// The table of these headers.
    pub(crate) fn table(&self, headers: HeaderList) -> HeaderMap {
        let mut known = self.known.iter().map_while(OnceLock::get);
        match known.find(|known| has_names(&known.names, &headers)) {
            Some(known) => {
                let mut table = known.table.clone();
                let values = headers.into_iter().map(|(_, value)| value);
                table.values_mut().zip(values).for_each(|(place, value)| *place = value);
                table
            }
            None => self.build(headers),
        }
    }

    fn build(&self, headers: HeaderList) -> HeaderMap {
        let count = headers.len();
        let mut table = HeaderMap::with_capacity(count);
        for (name, value) in headers {
            table.insert(name, value);
        }
        // In a table with fewer headers than were told, the values have other places.
        let is_regular = table.len() == count;
        let free = self.known.iter().find(|place| place.get().is_none());
        if let Some(place) = free.filter(|_| is_regular) {
            let names = table.keys().cloned().collect();
            let mut known = Known { table: table.clone(), names };
            known.table.values_mut().for_each(|value| *value = NO_VALUE);
            // Another answer may take the place at the same moment; this kind is then remembered the next time.
            let _ = place.set(known);
        }
        table
    }
}

/// Whether headers have just these names, in this order.
fn has_names(names: &[HeaderName], headers: &[(HeaderName, HeaderValue)]) -> bool {
    names.len() == headers.len()
        && names.iter().zip(headers).all(|(known, (name, _))| {
            // Names are constants: most are the very same text.
            std::ptr::eq(known.as_str(), name.as_str()) || known == name
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

    /// Builds a table twice, the second time perhaps from a known one.
    fn check(tables: &HeaderTables, headers: &[(&'static str, &'static str)]) {
        let mut expected = HeaderMap::new();
        for (name, value) in list(headers) {
            expected.insert(name, value);
        }
        for _ in 0..2 {
            let mut table = tables.table(list(headers));
            assert_eq!(table, expected);
            for (name, value) in list(headers) {
                assert_eq!(table.get_all(&name).iter().count(), 1);
                assert!(table.insert(name, value).is_some());
            }
            table.insert("another", NO_VALUE);
            assert_eq!(table.len(), expected.len() + 1);
        }
    }

    #[test]
    fn a_table_has_the_headers_that_were_told() {
        let tables = HeaderTables::default();
        check(&tables, &[]);
        check(&tables, &[("content-type", "a"), ("lsn", "1"), ("etag", "x")]);
        check(&tables, &[("content-type", "b"), ("lsn", "2"), ("etag", "y")]);
        check(&tables, &[("content-type", "b"), ("etag", "y"), ("lsn", "2")]);
        check(&tables, &[("content-type", "b"), ("lsn", "2")]);
        check(&tables, &[("content-type", "b"), ("lsn", "2"), ("etab", "y")]);
        assert_eq!(tables.known.iter().filter(|known| known.get().is_some()).count(), 5);
    }

    #[test]
    fn of_two_headers_with_one_name_the_later_counts() {
        let tables = HeaderTables::default();
        check(&tables, &[("etag", "x"), ("lsn", "1"), ("etag", "y")]);
        assert!(tables.known.iter().all(|known| known.get().is_none()));
    }

    #[test]
    fn kinds_beyond_those_remembered_are_built_each_time() {
        let tables = HeaderTables::default();
        for length in 1..2 * TABLES {
            let name: &'static str = "n".repeat(length).leak();
            check(&tables, &[("content-type", "a"), (name, "v")]);
        }
        assert!(tables.known.iter().all(|known| known.get().is_some()));
    }
}
