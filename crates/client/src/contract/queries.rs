//! Promises about queries.

use model::{Json, PartitionKey};
use serde::{Deserialize, Serialize};

use super::Ground;
use super::check::{Checked, Order, equal, fails_with, holds};
use crate::error::ErrorKind;
use crate::query::{PageOptions, Query};

#[derive(Debug, Serialize, Deserialize)]
struct Place {
    id: String,
    world: String,
    kind: String,
}

pub(super) async fn parameters_and_partition_keys_select_rows(ground: Ground) -> Checked {
    let (ann, bob) = (ground.fresh("query-ann"), ground.fresh("query-bob"));
    for (customer, totals) in [(&ann, [1, 5, 9]), (&bob, [5, 6, 7])] {
        let key = PartitionKey::from(customer.as_str());
        for total in totals {
            let order = Order::new(&total.to_string(), customer, total);
            ground.orders.create(&key, &order).await?;
        }
    }
    let text = Query::text("SELECT * FROM c WHERE c.total >= @least ORDER BY c.total DESC");
    let query = text.parameter("@least", 5).within(PartitionKey::from(ann.as_str()));
    let answer = ground.orders.query::<Order>(&query).await?;
    let totals: Vec<i64> = answer.value.iter().map(|order| order.total).collect();
    equal("the totals of ann", totals, vec![9, 5])?;
    holds("a query has a charge", answer.charge > 0.0)?;
    let ids = Json::from(vec![Json::from("1"), Json::from("9")]);
    let text = Query::text("SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(@ids, c.id)");
    let query = text.parameter("@ids", ids).within(PartitionKey::from(ann.as_str()));
    let mut found = ground.orders.query::<String>(&query).await?.value;
    found.sort();
    equal("the ids of a list", found, vec!["1".to_owned(), "9".to_owned()])
}

pub(super) async fn a_value_cannot_change_the_query(ground: Ground) -> Checked {
    let customer = ground.fresh("injection");
    let key = PartitionKey::from(customer.as_str());
    ground.orders.create(&key, &Order::new("1", &customer, 1)).await?;
    let text = Query::text("SELECT VALUE c.id FROM c WHERE c.id = @id");
    let query = text.parameter("@id", "x' OR true OR 'x' = '").within(key);
    equal("rows", ground.orders.query::<String>(&query).await?.value, Vec::new())
}

pub(super) async fn pages_continue_without_gap_or_repeat(ground: Ground) -> Checked {
    let customer = ground.fresh("pages");
    let key = PartitionKey::from(customer.as_str());
    for total in 0..25 {
        let order = Order::new(&format!("{total:02}"), &customer, total);
        ground.orders.create(&key, &order).await?;
    }
    let query = Query::text("SELECT * FROM c ORDER BY c.total").within(key);
    let mut options = PageOptions { rows_max: Some(10), ..PageOptions::default() };
    let mut totals = Vec::new();
    let mut pages = 0;
    loop {
        let page = ground.orders.query_page::<Order>(&query, options.clone()).await?.value;
        holds("a page is not longer than asked for", page.rows.len() <= 10)?;
        totals.extend(page.rows.into_iter().map(|order| order.total));
        pages += 1;
        holds("the pages come to an end", pages < 20)?;
        options.continuation = match page.continuation {
            Some(token) => Some(token),
            None => break,
        };
    }
    equal("all rows in order", totals, (0..25).collect())?;
    equal("all rows at once", ground.orders.query::<Order>(&query).await?.value.len(), 25)
}

pub(super) async fn a_prefix_selects_the_partitions_below_it(ground: Ground) -> Checked {
    let world = ground.fresh("earth");
    let other = ground.fresh("mars");
    for (world, kind, id) in [(&world, "city", "1"), (&world, "river", "2"), (&other, "city", "3")]
    {
        let key = PartitionKey::from_values([world.as_str().into(), kind.into()]);
        let place = Place { id: id.to_owned(), world: world.clone(), kind: kind.to_owned() };
        ground.places.create(&key, &place).await?;
    }
    let ids = Query::text("SELECT VALUE c.id FROM c");
    let prefix = PartitionKey::from(world.as_str());
    let mut found = ground.places.query::<String>(&ids.clone().within_prefix(prefix)).await?.value;
    found.sort();
    equal("below the prefix", found, vec!["1".to_owned(), "2".to_owned()])?;
    let whole = PartitionKey::from_values([world.as_str().into(), "river".into()]);
    let found = ground.places.query::<String>(&ids.within(whole)).await?.value;
    equal("in one partition", found, vec!["2".to_owned()])
}

pub(super) async fn a_fan_out_finds_everything_and_is_counted(ground: Ground) -> Checked {
    let mark = ground.fresh("everywhere");
    for customer in ["a", "b", "c"] {
        let customer = ground.fresh(customer);
        let key = PartitionKey::from(customer.as_str());
        let order = Order { note: Some(mark.clone()), ..Order::new("fan-out", &customer, 1) };
        ground.orders.create(&key, &order).await?;
    }
    let before = ground.account.fan_outs();
    let text = Query::text("SELECT VALUE c.customer FROM c WHERE c.note = @mark");
    let query = text.parameter("@mark", mark.as_str()).fan_out("the contract asks everywhere");
    let mut found = ground.orders.query::<String>(&query).await?.value;
    found.sort();
    let expected = ["a", "b", "c"].map(|name| ground.fresh(name)).to_vec();
    equal("the customers", found, expected)?;
    // Other cases may fan out beside this one.
    holds("the fan-out is counted", ground.account.fan_outs() > before)
}

pub(super) async fn feed_ranges_divide_a_query(ground: Ground) -> Checked {
    let mark = ground.fresh("divided");
    for customer in ["a", "b", "c"] {
        let customer = ground.fresh(customer);
        let key = PartitionKey::from(customer.as_str());
        let order = Order { note: Some(mark.clone()), ..Order::new("divided", &customer, 1) };
        ground.orders.create(&key, &order).await?;
    }
    let text = Query::text("SELECT VALUE c.customer FROM c WHERE c.note = @mark");
    let text = text.parameter("@mark", mark.as_str());
    let mut found = Vec::new();
    for range in ground.orders.feed_ranges().await?.value {
        let query = text.clone().within_feed_range(range, "the contract asks part by part");
        found.append(&mut ground.orders.query::<String>(&query).await?.value);
    }
    found.sort();
    equal("the customers", found, ["a", "b", "c"].map(|name| ground.fresh(name)).to_vec())
}

pub(super) async fn a_wrong_query_is_refused(ground: Ground) -> Checked {
    let key = PartitionKey::from("anybody");
    let query = Query::text("SELECT FROM WHERE").within(key.clone());
    let refused = ground.orders.query::<Order>(&query).await;
    fails_with("no query", refused, ErrorKind::BadRequest)?;
    let query = Query::text("SELECT * FROM c").within(key);
    let foreign = Some("not a token".to_owned());
    let options = PageOptions { continuation: foreign, ..PageOptions::default() };
    let refused = ground.orders.query_page::<Order>(&query, options).await;
    fails_with("a foreign continuation", refused, ErrorKind::BadRequest)
}
