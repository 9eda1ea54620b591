//! The tables of the peer, and one statement for each kind of request.
//!
//! All parameters are texts, so that a sequence of calls is plain data.

use clap::ValueEnum;
use model::Json;

use crate::data::{hash_number, shuffled};
use crate::gateway::work::{CREATED_FROM, PAGE_ITEMS, POOL, replaced_items, text_of};
use crate::queries::{PARTITION_ITEMS, STOCKS, customer, item};

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PostgresWork {
    /// One item by its key.
    PointRead,
    /// The first 20 items of a customer, in order.
    Query,
    /// An equality and a range, by the GIN index.
    TwoConditions,
    /// The same by a B-tree.
    TwoConditionsBTree,
    /// Inserts.
    Create,
    /// Updates of one property.
    Replace,
}

/// The table of the items that are read and replaced, and that of the items that are created.
pub(super) const ITEMS: &str = "orders";
pub(super) const CREATED: &str = "created";

/// Creates a table with its indexes: three B-trees, the primary key included, and a GIN index.
pub(super) fn create_table(name: &str) -> String {
    format!(
        "CREATE TABLE {name} (customer text, id text, item jsonb NOT NULL, PRIMARY KEY (customer, id)); \
         CREATE INDEX ON {name} (customer, ((item->>'price')::bigint)); \
         CREATE INDEX ON {name} (((item->>'stock')::bigint)); \
         CREATE INDEX ON {name} USING gin (item jsonb_path_ops);"
    )
}

impl PostgresWork {
    pub(super) fn statement(self) -> String {
        let range = format!("(item->>'created')::bigint >= {CREATED_FROM} LIMIT {PAGE_ITEMS}");
        match self {
            Self::PointRead => {
                format!("SELECT item::text FROM {ITEMS} WHERE customer = $1 AND id = $2")
            }
            Self::Query => format!(
                "SELECT item::text FROM {ITEMS} WHERE customer = $1 \
                 ORDER BY (item->>'price')::bigint LIMIT {PAGE_ITEMS}"
            ),
            Self::TwoConditions => {
                format!("SELECT item::text FROM {ITEMS} WHERE item @> $1::text::jsonb AND {range}")
            }
            Self::TwoConditionsBTree => format!(
                "SELECT item::text FROM {ITEMS} WHERE (item->>'stock')::bigint = $1::text::bigint \
                 AND {range}"
            ),
            Self::Create => {
                format!(
                    "INSERT INTO {CREATED} (customer, id, item) VALUES ($1, $2, $3::text::jsonb)"
                )
            }
            Self::Replace => {
                format!("UPDATE {ITEMS} SET item = $3::text::jsonb WHERE customer = $1 AND id = $2")
            }
        }
    }

    /// The parameters of all calls. They are those of the requests to our server.
    pub(super) fn calls(self, items: u64) -> Vec<Vec<String>> {
        let partitions = (items / PARTITION_ITEMS).max(1);
        let places = 0..POOL as u64;
        match self {
            Self::PointRead => {
                let numbers = shuffled(items).into_iter().take(POOL);
                let key =
                    |number| vec![customer(number % partitions), format!("order-{number:010}")];
                numbers.map(key).collect()
            }
            Self::Query => {
                places.map(|place| vec![customer(hash_number(place) % partitions)]).collect()
            }
            Self::TwoConditions => places
                .map(|place| vec![format!("{{\"stock\":{}}}", hash_number(place) % STOCKS)])
                .collect(),
            Self::TwoConditionsBTree => {
                places.map(|place| vec![(hash_number(place) % STOCKS).to_string()]).collect()
            }
            Self::Create => (0..items).map(|number| row(&item(number, partitions))).collect(),
            Self::Replace => replaced_items(items, partitions).iter().map(row).collect(),
        }
    }

    /// Whether the sequence of calls repeats.
    pub(super) fn is_endless(self) -> bool {
        self != Self::Create
    }

    /// Whether a call may find nothing: in a small data set some values of a condition do not occur.
    pub(super) fn may_find_nothing(self) -> bool {
        matches!(self, Self::TwoConditions | Self::TwoConditionsBTree)
    }

    /// Whether rows are returned.
    pub(super) fn reads(self) -> bool {
        !matches!(self, Self::Create | Self::Replace)
    }
}

/// An item as the values of a row.
pub(super) fn row(item: &Json) -> Vec<String> {
    let text = |name| text_of(item, name).to_owned();
    vec![text("customer"), text("id"), item.to_string()]
}
