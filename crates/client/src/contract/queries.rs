//! Promises about queries.

use model::{Json, PartitionKey};
use serde::{Deserialize, Serialize};

use super::ContractFixture;
use super::check::{AccountCaseResult, TestOrder, equal, fails_with, holds};
use crate::error::ErrorKind;
use crate::query::{Query, QueryPageOptions};

#[derive(Debug, Serialize, Deserialize)]
struct StoredPlace {
    id: String,
    world: String,
    kind: String,
}

pub(super) async fn parameters_and_partition_keys_select_rows(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let (ann, bob) = (fixture.fresh("query-ann"), fixture.fresh("query-bob"));
    for (customer, totals) in [(&ann, [1, 5, 9]), (&bob, [5, 6, 7])] {
        let key = PartitionKey::from(customer.as_str());
        for total in totals {
            let order = TestOrder::new(&total.to_string(), customer, total);
            fixture.orders.create(&key, &order).await?;
        }
    }
    let text = Query::text("SELECT * FROM c WHERE c.total >= @least ORDER BY c.total DESC");
    let query = text.parameter("@least", 5).within(PartitionKey::from(ann.as_str()));
    let answer = fixture.orders.query::<TestOrder>(&query).await?;
    let totals: Vec<i64> = answer.value.iter().map(|order| order.total).collect();
    equal("the totals of ann", totals, vec![9, 5])?;
    holds("a query has a charge", answer.charge > 0.0)?;
    let ids = Json::from(vec![Json::from("1"), Json::from("9")]);
    let text = Query::text("SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(@ids, c.id)");
    let query = text.parameter("@ids", ids).within(PartitionKey::from(ann.as_str()));
    let mut found = fixture.orders.query::<String>(&query).await?.value;
    found.sort();
    equal("the ids of a list", found, vec!["1".to_owned(), "9".to_owned()])
}

pub(super) async fn a_value_cannot_change_the_query(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("injection");
    let key = PartitionKey::from(customer.as_str());
    fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    let text = Query::text("SELECT VALUE c.id FROM c WHERE c.id = @id");
    let query = text.parameter("@id", "x' OR true OR 'x' = '").within(key);
    equal("rows", fixture.orders.query::<String>(&query).await?.value, Vec::new())
}

pub(super) async fn pages_continue_without_gap_or_repeat(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("pages");
    let key = PartitionKey::from(customer.as_str());
    for total in 0..25 {
        let order = TestOrder::new(&format!("{total:02}"), &customer, total);
        fixture.orders.create(&key, &order).await?;
    }
    let query = Query::text("SELECT * FROM c ORDER BY c.total").within(key);
    let mut options = QueryPageOptions { rows_max: Some(10), ..QueryPageOptions::default() };
    let mut totals = Vec::new();
    let mut pages = 0;
    loop {
        let page = fixture.orders.query_page::<TestOrder>(&query, options.clone()).await?.value;
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
    equal("all rows at once", fixture.orders.query::<TestOrder>(&query).await?.value.len(), 25)
}

pub(super) async fn a_prefix_selects_the_partitions_below_it(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let world = fixture.fresh("earth");
    let other = fixture.fresh("mars");
    for (world, kind, id) in [(&world, "city", "1"), (&world, "river", "2"), (&other, "city", "3")]
    {
        let key = PartitionKey::from_values([world.as_str().into(), kind.into()]);
        let place = StoredPlace { id: id.to_owned(), world: world.clone(), kind: kind.to_owned() };
        fixture.places.create(&key, &place).await?;
    }
    let ids = Query::text("SELECT VALUE c.id FROM c");
    let prefix = PartitionKey::from(world.as_str());
    let mut found = fixture.places.query::<String>(&ids.clone().within_prefix(prefix)).await?.value;
    found.sort();
    equal("below the prefix", found, vec!["1".to_owned(), "2".to_owned()])?;
    let whole = PartitionKey::from_values([world.as_str().into(), "river".into()]);
    let found = fixture.places.query::<String>(&ids.within(whole)).await?.value;
    equal("in one partition", found, vec!["2".to_owned()])
}

pub(super) async fn a_fan_out_finds_everything_and_is_counted(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let mark = fixture.fresh("everywhere");
    for customer in ["a", "b", "c"] {
        let customer = fixture.fresh(customer);
        let key = PartitionKey::from(customer.as_str());
        let order =
            TestOrder { note: Some(mark.clone()), ..TestOrder::new("fan-out", &customer, 1) };
        fixture.orders.create(&key, &order).await?;
    }
    let before = fixture.account.fan_outs();
    let text = Query::text("SELECT VALUE c.customer FROM c WHERE c.note = @mark");
    let query = text.parameter("@mark", mark.as_str()).fan_out("the contract asks everywhere");
    let mut found = fixture.orders.query::<String>(&query).await?.value;
    found.sort();
    let expected = ["a", "b", "c"].map(|name| fixture.fresh(name)).to_vec();
    equal("the customers", found, expected)?;
    // Other cases may fan out beside this one.
    holds("the fan-out is counted", fixture.account.fan_outs() > before)
}

pub(super) async fn feed_ranges_divide_a_query(fixture: ContractFixture) -> AccountCaseResult {
    let mark = fixture.fresh("divided");
    for customer in ["a", "b", "c"] {
        let customer = fixture.fresh(customer);
        let key = PartitionKey::from(customer.as_str());
        let order =
            TestOrder { note: Some(mark.clone()), ..TestOrder::new("divided", &customer, 1) };
        fixture.orders.create(&key, &order).await?;
    }
    let text = Query::text("SELECT VALUE c.customer FROM c WHERE c.note = @mark");
    let text = text.parameter("@mark", mark.as_str());
    let mut found = Vec::new();
    for range in fixture.orders.feed_ranges().await?.value {
        let query = text.clone().within_feed_range(range, "the contract asks part by part");
        found.append(&mut fixture.orders.query::<String>(&query).await?.value);
    }
    found.sort();
    equal("the customers", found, ["a", "b", "c"].map(|name| fixture.fresh(name)).to_vec())
}

pub(super) async fn a_wrong_query_is_refused(fixture: ContractFixture) -> AccountCaseResult {
    let key = PartitionKey::from("anybody");
    let query = Query::text("SELECT FROM WHERE").within(key.clone());
    let refused = fixture.orders.query::<TestOrder>(&query).await;
    fails_with("no query", refused, ErrorKind::BadRequest)?;
    let query = Query::text("SELECT * FROM c").within(key);
    let foreign = Some("not a token".to_owned());
    let options = QueryPageOptions { continuation: foreign, ..QueryPageOptions::default() };
    let refused = fixture.orders.query_page::<TestOrder>(&query, options).await;
    fails_with("a foreign continuation", refused, ErrorKind::BadRequest)
}
