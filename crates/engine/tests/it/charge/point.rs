//! Point operations, batches and feeds through the engine.

use engine::operation::{BatchOperation, ReadOptions};
use engine::response::BatchResult;
use engine::{EngineSettings, ErrorKind};
use model::charge::{ChargeProfile, failed_write};
use model::{ConsistencyLevel, EtagPattern, Precondition};

use super::published::{KB, create, delete, read, replace};
use super::shop::{account, explained, padded, policy};
use crate::account::{Account, json, plain, settings_without_maintenance};

const ITEM: &str = r#"{"id":"1","pk":"p","name":"a","tags":["x","y"]}"#;

/// Everything but the padding is indexed: id, pk, name and two tags.
const LEAVES: u64 = 5;

#[tokio::test]
async fn the_verbs_cost_what_the_formula_says() {
    for profile in ChargeProfile::ALL {
        let account = account(profile).await;
        let link = account.container(policy(&["/pk/?", "/name/?", "/tags/[]/?"], "")).await;
        let item = padded(ITEM, KB);
        let created = account.pay_create(&link, &item).await;
        assert_eq!(created.charge, create(KB, LEAVES), "{:?}", created.explanation);
        let found = account.pay_read(&link, "1", ReadOptions::default()).await.unwrap();
        assert_eq!(found.charge, read(KB));
        let same = account.pay_replace(&link, &item).await;
        assert_eq!(same.charge, model::charge::replace(profile, KB, KB, Some(0)));
        let upserted = account.pay_upsert(&link, &item).await;
        assert_eq!(upserted.charge, same.charge);
        let other = padded(&ITEM.replace("\"a\"", "\"b\""), KB);
        assert_eq!(account.pay_replace(&link, &other).await.charge, replace(profile, KB, 1));
        let operations =
            r#"[{"op":"set","path":"/name","value":"c"},{"op":"add","path":"/n","value":1}]"#;
        let patched = account.pay_patch(&link, operations).await;
        let larger = model::charge::replace(profile, KB, KB + 6, Some(16));
        assert_eq!(patched.charge, larger + model::charge::patch_operations(2));
        let deleted = account.pay_delete(&link, "1").await.unwrap();
        assert_eq!(deleted.charge, delete(KB + 6, LEAVES));
        let upserted = account.pay_upsert(&link, &item).await;
        assert_eq!(upserted.charge, create(KB, LEAVES));
    }
}

#[tokio::test]
async fn the_documented_figures_come_out_of_the_engine() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(policy(&["/name/?"], "")).await;
    let item = json(r#"{"id":"1","pk":"p","name":"a"}"#);
    assert_eq!(account.pay_create(&link, &item).await.charge.to_string(), "5.71");
    assert_eq!(account.pay_upsert(&link, &item).await.charge.to_string(), "10.29");
    let changed = json(r#"{"id":"1","pk":"p","name":"b"}"#);
    assert_eq!(account.pay_replace(&link, &changed).await.charge.to_string(), "10.67");
    assert_eq!(account.pay_delete(&link, "1").await.unwrap().charge.to_string(), "5.71");
    assert_eq!(account.pay_delete(&link, "1").await.unwrap_err().charge().to_string(), "1.24");
}

#[tokio::test]
async fn system_properties_are_not_part_of_the_size() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(policy(&[], "")).await;
    for (bytes, printed) in [(KB, "5.33"), (KB + 1, "6.67"), (2 * KB, "6.67"), (2 * KB + 1, "7.05")]
    {
        let item = padded(r#"{"id":"1","pk":"p"}"#, bytes);
        assert_eq!(account.pay_create(&link, &item).await.charge.to_string(), printed, "{bytes}");
        let found = account.pay_read(&link, "1", ReadOptions::default()).await.unwrap();
        assert_eq!(found.charge, read(bytes), "{bytes}");
        account.pay_delete(&link, "1").await.unwrap();
    }
}

#[tokio::test]
async fn refusals_have_their_price() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(plain("c")).await;
    account.create(&link, ITEM).await.unwrap();
    let conflict = account.create(&link, ITEM).await.unwrap_err();
    assert_eq!((conflict.kind(), conflict.charge()), (ErrorKind::Conflict, failed_write()));
    let invalid = account.create(&link, r#"{"pk":"p"}"#).await.unwrap_err();
    assert_eq!((invalid.kind(), invalid.charge()), (ErrorKind::Invalid, failed_write()));
    let gone = account.pay_delete(&link, "2").await.unwrap_err();
    assert_eq!((gone.kind(), gone.charge()), (ErrorKind::NotFound, failed_write()));
    let missing = account.pay_read(&link, "2", ReadOptions::default()).await.unwrap_err();
    assert_eq!(missing.charge().to_string(), "1");
    let owner = account.create(&engine::ContainerLink::new("d", "x").unwrap(), ITEM).await;
    assert_eq!(owner.unwrap_err().charge().to_string(), "0");
}

#[tokio::test]
async fn strong_and_bounded_reads_cost_twice() {
    for (level, factor) in [
        (ConsistencyLevel::Strong, 2),
        (ConsistencyLevel::BoundedStaleness, 2),
        (ConsistencyLevel::Session, 1),
        (ConsistencyLevel::ConsistentPrefix, 1),
        (ConsistencyLevel::Eventual, 1),
    ] {
        let settings = EngineSettings { consistency: level, ..settings_without_maintenance() };
        let account = Account::with_settings(settings).await;
        let link = account.container(plain("c")).await;
        account.create(&link, ITEM).await.unwrap();
        let found = account.pay_read(&link, "1", ReadOptions::default()).await.unwrap();
        assert_eq!(found.charge, read(1).times(factor), "{level}");
        assert_eq!(found.explanation.unwrap().charge(), found.charge);
        let missing = account.pay_read(&link, "2", ReadOptions::default()).await.unwrap_err();
        assert_eq!(missing.charge(), read(1).times(factor), "{level}");
        let weaker =
            ReadOptions { consistency: Some(ConsistencyLevel::Eventual), ..ReadOptions::default() };
        assert_eq!(account.pay_read(&link, "1", weaker).await.unwrap().charge, read(1));
        let list = account.pay_list(&link).await;
        assert_eq!(list.charge, read(1).times(factor), "{level}");
        let feed = account.pay_changes(&link).await;
        assert_eq!(feed.charge, read(1).times(factor), "{level}");
        let query =
            account.pay_query(&link, "SELECT * FROM c WHERE c.id = '1'", Some("p"), 10).await;
        let once =
            super::query_figures::price(super::query_figures::found(1, 1, ITEM.len() as u64));
        assert_eq!(query.charge, once.times(factor), "{level}");
    }
}

#[tokio::test]
async fn an_unmodified_item_costs_one_request_unit_whatever_its_size() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(policy(&[], "")).await;
    let created = account.pay_create(&link, &padded(r#"{"id":"1","pk":"p"}"#, 40 * KB)).await;
    let pattern = EtagPattern::parse(&created.value.etag().to_string());
    let precondition = Some(Precondition::IfNoneMatch(pattern));
    let options = ReadOptions { precondition, ..ReadOptions::default() };
    let unmodified = account.pay_read(&link, "1", options).await.unwrap();
    assert_eq!(unmodified.charge.to_string(), "1");
    assert_eq!(unmodified.explanation.unwrap().charge(), unmodified.charge);
}

#[tokio::test]
async fn a_batch_costs_the_sum_of_its_operations_and_a_refused_one_a_refusal() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(policy(&["/name/?"], "")).await;
    let create_one = |id: &str| BatchOperation::Create {
        item: json(&format!(r#"{{"id":"{id}","pk":"p","name":"a"}}"#)).into(),
        options: explained(),
    };
    let reading = BatchOperation::Read { id: crate::verbs::id("a"), precondition: None };
    let operations = vec![create_one("a"), reading, create_one("b")];
    let outcome = account.pay_batch(&link, operations).await.unwrap();
    let sum = create(1, 2) + read(1) + create(1, 2);
    assert_eq!(outcome.charge, sum);
    assert_eq!(outcome.explanation.unwrap().charge(), sum);
    let BatchResult::Committed(answers) = outcome.value else { panic!("rolled back") };
    let charges: Vec<_> = answers.iter().map(|answer| answer.charge).collect();
    assert_eq!(charges, [create(1, 2), read(1), create(1, 2)]);
    let outcome = account.pay_batch(&link, vec![create_one("c"), create_one("a")]).await;
    // What ran before the failure is paid, although nothing of it remains.
    assert_eq!(outcome.unwrap().charge, create(1, 2) + failed_write());
}

#[tokio::test]
async fn feeds_cost_the_reads_of_their_items_and_one_unit_at_least() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(policy(&[], "")).await;
    let empty = account.pay_list(&link).await;
    assert_eq!(empty.charge.to_string(), "1");
    assert_eq!(account.pay_changes(&link).await.charge.to_string(), "1");
    for (number, bytes) in [(1, KB), (2, 3 * KB), (3, 30 * KB)] {
        let item = padded(&format!(r#"{{"id":"{number}","pk":"p"}}"#), bytes);
        account.pay_create(&link, &item).await;
    }
    let sum = read(KB) + read(3 * KB) + read(30 * KB);
    let list = account.pay_list(&link).await;
    assert_eq!(list.charge, sum);
    assert_eq!(account.pay_changes(&link).await.charge, sum);
}
