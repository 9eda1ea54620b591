//! Promises about single items.

use model::{Json, PartitionKey, Patch, PatchOperation, PatchPath};

use super::ContractFixture;
use super::check::{AccountCaseResult, TestOrder, equal, fails_with, holds, some};
use crate::error::ErrorKind;
use crate::resource::ItemReadOptions;
use crate::response::EntityTag;

pub(super) async fn an_item_is_created_and_read(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("created");
    let key = PartitionKey::from(customer.as_str());
    let order =
        TestOrder { note: Some("é \u{1F600} \"".to_owned()), ..TestOrder::new("1", &customer, 7) };
    let created = fixture.orders.create(&key, &order).await?;
    equal("what was created", created.value.value.clone(), order.clone())?;
    let read = fixture.orders.read::<TestOrder>(&key, "1").await?;
    equal("what was read", read.value.value.clone(), order)?;
    equal("the etag", read.value.etag(), created.value.etag())?;
    holds("the second of the write", read.value.timestamp().is_some())
}

pub(super) async fn answers_carry_charge_etag_session_token_and_activity_id(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("carried");
    let key = PartitionKey::from(customer.as_str());
    let created = fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    let read = fixture.orders.read::<TestOrder>(&key, "1").await?;
    for (what, answer) in [("a create", &created), ("a read", &read)] {
        holds(&format!("{what} has a charge"), answer.charge > 0.0)?;
        holds(&format!("{what} has an etag"), answer.etag.is_some())?;
        holds(&format!("{what} has a session token"), answer.session_token.is_some())?;
        equal(&format!("{what}: its activity id"), answer.activity_id.to_string().len(), 36)?;
    }
    let other = read.activity_id.to_string() != created.activity_id.to_string();
    holds("every request has an activity id of its own", other)?;
    let deleted = fixture.orders.delete(&key, "1", None).await?;
    holds("a delete has a charge and a token", deleted.charge > 0.0)?;
    holds("a delete has a session token", deleted.session_token.is_some())
}

pub(super) async fn a_session_token_can_be_passed_on_as_text(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("session");
    let key = PartitionKey::from(customer.as_str());
    let created = fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    let text = some("the session token", created.session_token)?.to_string();
    let session_token = Some(crate::response::ClientSessionToken::from_text(text));
    let options = ItemReadOptions { session_token };
    fixture.orders.read_with::<TestOrder>(&key, "1", options).await?;
    Ok(())
}

pub(super) async fn a_taken_id_is_a_conflict(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("taken");
    let key = PartitionKey::from(customer.as_str());
    let order = TestOrder::new("1", &customer, 1);
    fixture.orders.create(&key, &order).await?;
    let again = fixture.orders.create(&key, &TestOrder { total: 2, ..order }).await;
    fails_with("created again", again, ErrorKind::Conflict)?;
    equal("its total", fixture.orders.read::<TestOrder>(&key, "1").await?.value.value.total, 1)
}

pub(super) async fn a_missing_item_is_not_found(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("missing");
    let key = PartitionKey::from(customer.as_str());
    let orders = &fixture.orders;
    let order = TestOrder::new("1", &customer, 1);
    fails_with("read", orders.read::<TestOrder>(&key, "1").await, ErrorKind::NotFound)?;
    fails_with("replace", orders.replace(&key, &order, None).await, ErrorKind::NotFound)?;
    fails_with("delete", orders.delete(&key, "1", None).await, ErrorKind::NotFound)?;
    let patched = orders.patch::<TestOrder>(&key, "1", set("/total", 2)?, None).await;
    fails_with("patch", patched, ErrorKind::NotFound)
}

pub(super) async fn a_stale_etag_changes_nothing(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("stale");
    let key = PartitionKey::from(customer.as_str());
    let orders = &fixture.orders;
    let order = |total| TestOrder::new("1", &customer, total);
    let first = some("the etag", orders.create(&key, &order(1)).await?.etag)?;
    let second = orders.replace(&key, &order(2), Some(&first)).await?;
    holds("a replace changes the etag", second.etag != Some(first.clone()))?;
    let stale = Some(&first);
    let kind = ErrorKind::Precondition;
    fails_with("replace", orders.replace(&key, &order(3), stale).await, kind)?;
    fails_with("upsert", orders.upsert(&key, &order(3), stale).await, kind)?;
    fails_with("delete", orders.delete(&key, "1", stale).await, kind)?;
    let patch = set("/total", 3)?;
    fails_with("patch", orders.patch::<TestOrder>(&key, "1", patch, stale).await, kind)?;
    let read = orders.read::<TestOrder>(&key, "1").await?;
    equal("its total", read.value.value.total, 2)?;
    let fresh = some("the etag of a read", read.etag)?;
    orders.delete(&key, "1", Some(&EntityTag::from_text(fresh.to_string()))).await?;
    Ok(())
}

pub(super) async fn an_unchanged_item_is_not_sent_again(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("unchanged");
    let key = PartitionKey::from(customer.as_str());
    let created = fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    let etag = some("the etag", created.etag)?;
    let same = fixture.orders.read_unless::<TestOrder>(&key, "1", &etag).await?;
    holds("nothing is sent for the newest etag", same.value.is_none())?;
    let other = EntityTag::from_text("\"00000000-0000-0000-0000-000000000000\"");
    let sent = fixture.orders.read_unless::<TestOrder>(&key, "1", &other).await?;
    equal("sent for another etag", sent.value.map(|item| item.value.total), Some(1))
}

pub(super) async fn an_upsert_creates_and_then_replaces(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("upsert");
    let key = PartitionKey::from(customer.as_str());
    for total in [1, 2] {
        let order = TestOrder::new("1", &customer, total);
        let written = fixture.orders.upsert(&key, &order, None).await?;
        equal("what was written", written.value.value, order)?;
    }
    equal("its total", fixture.orders.read::<TestOrder>(&key, "1").await?.value.value.total, 2)
}

pub(super) async fn a_patch_changes_parts_when_its_condition_holds(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("patch");
    let key = PartitionKey::from(customer.as_str());
    let orders = &fixture.orders;
    let order = TestOrder { note: Some("keep".to_owned()), ..TestOrder::new("1", &customer, 5) };
    orders.create(&key, &order).await?;
    let changes = vec![
        PatchOperation::Increment {
            path: PatchPath::parse("/total")?,
            by: some("a number", model::Number::parse("3"))?,
        },
        PatchOperation::Set { path: PatchPath::parse("/extra")?, value: Json::from("new") },
    ];
    let only_if = Some("from c where c.total = 5".to_owned());
    let patch = Patch::new(changes, only_if)?;
    let patched = orders.patch::<TestOrder>(&key, "1", patch.clone(), None).await?;
    equal("its total", patched.value.value.total, 8)?;
    equal("its note", patched.value.value.note, Some("keep".to_owned()))?;
    let again = orders.patch::<TestOrder>(&key, "1", patch, None).await;
    fails_with("a condition that does not hold", again, ErrorKind::Precondition)?;
    equal("its total after", orders.read::<TestOrder>(&key, "1").await?.value.value.total, 8)
}

pub(super) async fn a_wrong_item_is_refused(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("refused");
    let key = PartitionKey::from(customer.as_str());
    let elsewhere = TestOrder::new("1", "somebody else", 1);
    let created = fixture.orders.create(&key, &elsewhere).await;
    fails_with("a partition key that is not the item's", created, ErrorKind::BadRequest)?;
    let nameless = serde_json::json!({ "customer": customer });
    let created = fixture.orders.create(&key, &nameless).await;
    fails_with("an item without an id", created, ErrorKind::BadRequest)?;
    let note = Some("x".repeat(2 * 1024 * 1024 + 1));
    let large = TestOrder { note, ..TestOrder::new("large", &customer, 1) };
    let created = fixture.orders.create(&key, &large).await;
    fails_with("an item of more than 2 MB", created, ErrorKind::TooLarge)
}

pub(super) async fn an_item_of_another_shape_is_unexpected(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("shape");
    let key = PartitionKey::from(customer.as_str());
    let odd = serde_json::json!({ "id": "1", "customer": customer, "total": "much" });
    fixture.orders.create(&key, &odd).await?;
    let read = fixture.orders.read::<TestOrder>(&key, "1").await;
    fails_with("read as another type", read, ErrorKind::Unexpected)?;
    // Processors of other cases shall not meet it.
    fixture.orders.delete(&key, "1", None).await?;
    Ok(())
}

pub(super) async fn several_items_are_read_at_once(fixture: ContractFixture) -> AccountCaseResult {
    let (one, other) = (fixture.fresh("many-one"), fixture.fresh("many-other"));
    for (customer, id) in [(&one, "1"), (&one, "2"), (&other, "1")] {
        let key = PartitionKey::from(customer.as_str());
        fixture.orders.create(&key, &TestOrder::new(id, customer, 1)).await?;
    }
    let (one, other) = (PartitionKey::from(one.as_str()), PartitionKey::from(other.as_str()));
    let names = [(one.clone(), "2"), (other.clone(), "1"), (one, "missing"), (other, "2")];
    let read = fixture.orders.read_many::<TestOrder>(&names).await?;
    let mut found: Vec<_> =
        read.value.into_iter().map(|item| (item.value.customer, item.value.id)).collect();
    found.sort();
    let expected = [(fixture.fresh("many-one"), "2"), (fixture.fresh("many-other"), "1")];
    let expected = expected.map(|(customer, id)| (customer, id.to_owned())).to_vec();
    equal("the items that exist", found, expected)?;
    holds("reading many has a charge", read.charge > 0.0)
}

pub(super) async fn a_logical_partition_is_deleted_as_a_whole(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let (gone, kept) = (fixture.fresh("gone"), fixture.fresh("kept"));
    for customer in [&gone, &kept] {
        let key = PartitionKey::from(customer.as_str());
        for id in 0..120 {
            fixture.orders.create(&key, &TestOrder::new(&id.to_string(), customer, id)).await?;
        }
    }
    let key = PartitionKey::from(gone.as_str());
    equal("items deleted", fixture.orders.delete_partition(&key).await?.value, 120)?;
    equal("items deleted again", fixture.orders.delete_partition(&key).await?.value, 0)?;
    let count = crate::Query::text("SELECT VALUE COUNT(1) FROM c");
    for (customer, expected) in [(&gone, 0), (&kept, 120)] {
        let query = count.clone().within(PartitionKey::from(customer.as_str()));
        let rows = fixture.orders.query::<i64>(&query).await?.value;
        equal(&format!("items of {customer}"), rows, vec![expected])?;
    }
    Ok(())
}

pub(super) fn set(path: &str, value: i64) -> model::Result<Patch> {
    let value = Json::from(value);
    Patch::new(vec![PatchOperation::Set { path: PatchPath::parse(path)?, value }], None)
}
