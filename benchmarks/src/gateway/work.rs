//! What a load generator asks for: each kind of work as a pool of requests made beforehand.
//!
//! Owns the requests of every measurement, signed and as bytes, so that nothing is left to do while time is taken.

use std::net::SocketAddr;

use clap::ValueEnum;

use super::signature::{Signed, Signer};
use super::wire::Request;
use crate::data::{hash_number, shuffled};
use crate::queries::{PARTITION_ITEMS, customer, item};
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
const POOL: usize = 2_048;

const QUERY: &[u8] = br#"{"query":"SELECT * FROM c ORDER BY c.price","parameters":[]}"#;
const QUERY_HEADERS: [(&str, &str); 3] = [
    ("content-type", "application/query+json"),
    ("x-ms-documentdb-isquery", "True"),
    ("x-ms-max-item-count", PAGE_ITEMS),
];

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Work {
    /// Reads of items that are there, in random order.
    PointRead,
    /// Creations of items that are not there.
    Create,
    /// First pages of 20 items of one logical partition, in order.
    Query,
    /// Pages of 100 changes from the beginning.
    ChangeFeed,
}

/// Where the requests go, and of which items they are.
pub(super) struct Target<'signer> {
    pub(super) address: SocketAddr,
    pub(super) signer: &'signer Signer,
    /// Items that are there, or are created.
    pub(super) items: u64,
    /// Number of the first item that is created.
    pub(super) first: u64,
}

/// Requests one after the other.
pub(super) struct Pool {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Whether the first request follows the last one.
    pub(super) is_endless: bool,
    /// What every answer must be.
    pub(super) status: u16,
}

impl Pool {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A request by its place.
    pub(super) fn request(&self, place: usize) -> Option<&[u8]> {
        let place = if self.is_endless { place % self.ends.len() } else { place };
        let start = if place == 0 { 0 } else { *self.ends.get(place - 1)? };
        self.bytes.get(start..*self.ends.get(place)?)
    }

    fn add(&mut self, target: &Target<'_>, request: &Request<'_>) {
        request.write_to(&mut self.bytes, &target.address.to_string(), target.signer);
        self.ends.push(self.bytes.len());
    }
}

impl Work {
    /// Its name as an argument.
    pub(super) fn name(self) -> Result<String> {
        let value = self.to_possible_value().ok_or_else(|| Error::from("work without name"))?;
        Ok(value.get_name().to_owned())
    }

    /// Its words in the table.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::PointRead => "point read of 1 KB",
            Self::Create => "durable create of 1 KB",
            Self::Query => "query page of 20 in order, one logical partition",
            Self::ChangeFeed => "change feed page of 100",
        }
    }

    /// What stands beside our server.
    pub(super) fn beside(self) -> &'static str {
        match self {
            Self::PointRead | Self::Query | Self::ChangeFeed => "bare server",
            Self::Create => "engine alone",
        }
    }

    /// The least share of that which is wanted.
    pub(super) fn ratio_min(self) -> Option<f64> {
        match self {
            Self::PointRead | Self::Create => Some(0.5),
            Self::Query => Some(0.4),
            Self::ChangeFeed => None,
        }
    }

    /// All requests of this work.
    pub(super) fn pool(self, target: &Target<'_>) -> Result<Pool> {
        let is_endless = self != Self::Create;
        let status = if self == Self::Create { 201 } else { 200 };
        let mut pool = Pool { bytes: Vec::new(), ends: Vec::new(), is_endless, status };
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
        }
        if pool.ends.is_empty() { Err(Error::from("no items, so no requests")) } else { Ok(pool) }
    }
}

fn key_header(key: &str) -> String {
    format!("[\"{key}\"]")
}

fn point_read(pool: &mut Pool, target: &Target<'_>, number: u64, partitions: u64) {
    let link = format!("{LINK}/docs/order-{number:010}");
    let request = Request {
        signed: Signed { verb: "GET", resource_type: "docs", link: &link },
        path: &format!("/{link}"),
        headers: &[
            ("x-ms-documentdb-partitionkey", &key_header(&customer(number % partitions))),
            ("cache-control", "no-cache"),
        ],
        body: b"",
    };
    pool.add(target, &request);
}

fn create(pool: &mut Pool, target: &Target<'_>, number: u64, partitions: u64) {
    let key = key_header(&customer(number % partitions));
    let headers =
        [("x-ms-documentdb-partitionkey", key.as_str()), ("content-type", "application/json")];
    post(pool, target, &headers, &item(number, partitions).to_bytes());
}

fn query(pool: &mut Pool, target: &Target<'_>, key: &str) {
    let key = key_header(key);
    let mut headers = vec![("x-ms-documentdb-partitionkey", key.as_str())];
    headers.extend(QUERY_HEADERS);
    post(pool, target, &headers, QUERY);
}

fn change_feed(pool: &mut Pool, target: &Target<'_>) {
    let request = Request {
        signed: Signed { verb: "GET", resource_type: "docs", link: LINK },
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

fn post(pool: &mut Pool, target: &Target<'_>, headers: &[(&str, &str)], body: &[u8]) {
    let signed = Signed { verb: "POST", resource_type: "docs", link: LINK };
    pool.add(target, &Request { signed, path: ITEMS_PATH, headers, body });
}
