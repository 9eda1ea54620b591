//! The requests of the load generator, by kind: prepared, signed and serialized before the measurement.

use std::net::SocketAddr;

use clap::ValueEnum;
use model::Json;

use super::signature::{SignedRequest, Signer};
use super::wire::RawRequest;
use crate::data::{hash_number, shuffled};
use crate::queries::{PARTITION_ITEMS, STOCKS, customer, item};
use crate::{Error, Result};

/// The names of what is measured.
pub(super) const DATABASE: &str = "benchmarks";
pub(super) const CONTAINER: &str = "orders";
const LINK: &str = "dbs/benchmarks/colls/orders";
const ITEMS_PATH: &str = "/dbs/benchmarks/colls/orders/docs";

/// Items of a page, of a batch of changes, and of a bulk request.
pub(super) const PAGE_ITEMS: &str = "20";
const CHANGES: &str = "100";

/// Different requests in a pool that is used over and over.
pub(super) const POOL: usize = 2_048;

/// Half of all items are created from this second on.
pub(super) const CREATED_FROM: u64 = 500_000_000;

const QUERY: &[u8] = br#"{"query":"SELECT * FROM c ORDER BY c.price","parameters":[]}"#;
const TWO_CONDITIONS: &str = "SELECT * FROM c WHERE c.stock = @stock AND c.created >= @from";
const QUERY_HEADERS: [(&str, &str); 3] = [
    ("content-type", "application/query+json"),
    ("x-ms-documentdb-isquery", "True"),
    ("x-ms-max-item-count", PAGE_ITEMS),
];

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RequestKind {
    /// Point reads of existing items, in random order.
    PointRead,
    /// Creates of new items.
    Create,
    /// First pages of 20 items of one logical partition, in order.
    Query,
    /// Pages of 100 changes from the beginning.
    ChangeFeed,
    /// First pages of an equality that about 20 items in 10,000 satisfy and a range that half of all do.
    TwoConditions,
    /// Replaces of existing items, in random order, that change one property.
    Replace,
}

/// The server and the items of the requests.
pub(super) struct LoadTarget<'signer> {
    pub(super) address: SocketAddr,
    pub(super) signer: &'signer Signer,
    /// Number of items that exist, or that are created.
    pub(super) items: u64,
    /// Number of the first created item.
    pub(super) first: u64,
}

/// A sequence of requests.
pub(super) struct RequestPool {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Whether the sequence repeats.
    pub(super) is_endless: bool,
    /// The expected status of every response.
    pub(super) status: u16,
}

impl RequestPool {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A request by its index.
    pub(super) fn request(&self, index: usize) -> Option<&[u8]> {
        let index = if self.is_endless { index % self.ends.len() } else { index };
        let start = if index == 0 { 0 } else { *self.ends.get(index - 1)? };
        self.bytes.get(start..*self.ends.get(index)?)
    }

    fn add(&mut self, target: &LoadTarget<'_>, request: &RawRequest<'_>) {
        request.write_to(&mut self.bytes, &target.address.to_string(), target.signer);
        self.ends.push(self.bytes.len());
    }
}

impl RequestKind {
    /// Its name as an argument.
    pub(super) fn name(self) -> Result<String> {
        let value = self.to_possible_value().ok_or_else(|| Error::from("work without name"))?;
        Ok(value.get_name().to_owned())
    }

    /// Its description in the table.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::PointRead => "point read of 1 KB",
            Self::Create => "durable create of 1 KB",
            Self::Query => "query page of 20 in order, one logical partition",
            Self::ChangeFeed => "change feed page of 100",
            Self::TwoConditions => "query by an equality and a range, whole container",
            Self::Replace => "durable replace of 1 KB",
        }
    }

    /// All requests of this kind.
    pub(super) fn pool(self, target: &LoadTarget<'_>) -> Result<RequestPool> {
        let is_endless = self != Self::Create;
        let status = if self == Self::Create { 201 } else { 200 };
        let mut pool = RequestPool { bytes: Vec::new(), ends: Vec::new(), is_endless, status };
        let partitions = (target.items / PARTITION_ITEMS).max(1);
        let created = target.first..target.first + target.items;
        match self {
            Self::PointRead => {
                let numbers = shuffled(target.items).into_iter().take(POOL);
                numbers.for_each(|number| point_read(&mut pool, target, number, partitions));
            }
            Self::Create => {
                created.for_each(|number| create(&mut pool, target, number, partitions));
            }
            Self::Query => {
                let keys = (0..POOL as u64).map(|place| customer(hash_number(place) % partitions));
                keys.for_each(|key| query(&mut pool, target, &key));
            }
            Self::ChangeFeed => change_feed(&mut pool, target),
            Self::TwoConditions => {
                let stocks = (0..POOL as u64).map(|place| hash_number(place) % STOCKS);
                stocks.for_each(|stock| two_conditions(&mut pool, target, stock));
            }
            Self::Replace => {
                for item in replaced_items(target.items, partitions) {
                    replace(&mut pool, target, &item);
                }
            }
        }
        if pool.ends.is_empty() { Err(Error::from("no items, so no requests")) } else { Ok(pool) }
    }
}

/// Items with another price each, so that every replace of the sequence changes something.
pub(super) fn replaced_items(items: u64, partitions: u64) -> Vec<Json> {
    let numbers: Vec<u64> = shuffled(items).into_iter().take(POOL).collect();
    let changed = |price: i64| {
        numbers.iter().map(move |number| {
            let mut changed = item(*number, partitions);
            if let Json::Object(object) = &mut changed {
                object.insert("price", price);
            }
            changed
        })
    };
    changed(-1).chain(changed(-2)).collect()
}

/// The text of a property.
pub(super) fn text_of<'item>(item: &'item Json, name: &str) -> &'item str {
    item.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn key_header(key: &str) -> String {
    format!("[\"{key}\"]")
}

fn point_read(pool: &mut RequestPool, target: &LoadTarget<'_>, number: u64, partitions: u64) {
    let link = format!("{LINK}/docs/order-{number:010}");
    let request = RawRequest {
        signed: SignedRequest { verb: "GET", resource_type: "docs", link: &link },
        path: &format!("/{link}"),
        headers: &[
            ("x-ms-documentdb-partitionkey", &key_header(&customer(number % partitions))),
            ("cache-control", "no-cache"),
        ],
        body: b"",
    };
    pool.add(target, &request);
}

fn create(pool: &mut RequestPool, target: &LoadTarget<'_>, number: u64, partitions: u64) {
    let key = key_header(&customer(number % partitions));
    let headers =
        [("x-ms-documentdb-partitionkey", key.as_str()), ("content-type", "application/json")];
    post(pool, target, &headers, &item(number, partitions).to_bytes());
}

fn query(pool: &mut RequestPool, target: &LoadTarget<'_>, key: &str) {
    let key = key_header(key);
    let mut headers = vec![("x-ms-documentdb-partitionkey", key.as_str())];
    headers.extend(QUERY_HEADERS);
    post(pool, target, &headers, QUERY);
}

fn two_conditions(pool: &mut RequestPool, target: &LoadTarget<'_>, stock: u64) {
    let parameters = format!(
        r#"[{{"name":"@stock","value":{stock}}},{{"name":"@from","value":{CREATED_FROM}}}]"#
    );
    let body = format!(r#"{{"query":"{TWO_CONDITIONS}","parameters":{parameters}}}"#);
    let mut headers = vec![("x-ms-documentdb-query-enablecrosspartition", "True")];
    headers.extend(QUERY_HEADERS);
    post(pool, target, &headers, body.as_bytes());
}

fn replace(pool: &mut RequestPool, target: &LoadTarget<'_>, item: &Json) {
    let link = format!("{LINK}/docs/{}", text_of(item, "id"));
    let request = RawRequest {
        signed: SignedRequest { verb: "PUT", resource_type: "docs", link: &link },
        path: &format!("/{link}"),
        headers: &[
            ("x-ms-documentdb-partitionkey", &key_header(text_of(item, "customer"))),
            ("content-type", "application/json"),
        ],
        body: &item.to_bytes(),
    };
    pool.add(target, &request);
}

fn change_feed(pool: &mut RequestPool, target: &LoadTarget<'_>) {
    let request = RawRequest {
        signed: SignedRequest { verb: "GET", resource_type: "docs", link: LINK },
        path: ITEMS_PATH,
        headers: &[
            ("a-im", "Incremental feed"),
            ("x-ms-documentdb-partitionkeyrangeid", "0"),
            ("x-ms-max-item-count", CHANGES),
        ],
        body: b"",
    };
    pool.add(target, &request);
}

fn post(pool: &mut RequestPool, target: &LoadTarget<'_>, headers: &[(&str, &str)], body: &[u8]) {
    let signed = SignedRequest { verb: "POST", resource_type: "docs", link: LINK };
    pool.add(target, &RawRequest { signed, path: ITEMS_PATH, headers, body });
}
