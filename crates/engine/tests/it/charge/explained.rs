//! Explanations: terms that add up to the charge, path by path.

use engine::operation::ReadOptions;
use model::charge::ChargeProfile;

use super::shop::{account, padded, policy};
use crate::account::{json, plain};

fn text(explanation: Option<Box<model::ChargeExplanation>>) -> String {
    explanation.unwrap().to_json().to_string()
}

#[tokio::test]
async fn a_create_names_its_size_and_every_indexed_path() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(plain("c")).await;
    let item = json(r#"{"id":"1","pk":"p","tags":["x","y"],"my name":"a"}"#);
    let created = account.pay_create(&link, &item).await;
    assert_eq!(
        text(created.explanation),
        concat!(
            r#"{"model":"azure-2026-04","profile":"azure","operation":"create","charge":6.8571,"terms":["#,
            r#"{"term":"write","bytes":50,"bucketKilobytes":1,"charge":4.9524},"#,
            r#"{"term":"index","path":"/\"my name\"/?","kind":"leaf","count":1,"indexTerms":2,"charge":0.381},"#,
            r#"{"term":"index","path":"/id/?","kind":"leaf","count":1,"indexTerms":2,"charge":0.381},"#,
            r#"{"term":"index","path":"/pk/?","kind":"leaf","count":1,"indexTerms":2,"charge":0.381},"#,
            r#"{"term":"index","path":"/tags/[]/?","kind":"leaf","count":2,"indexTerms":4,"charge":0.7619}]}"#
        )
    );
}

#[tokio::test]
async fn every_verb_explains_its_whole_charge_in_both_profiles() {
    for profile in ChargeProfile::ALL {
        let account = account(profile).await;
        let more = r#","compositeIndexes":[[{"path":"/name"},{"path":"/n"}]]"#;
        let link = account.container(policy(&["/name/?", "/n/?"], more)).await;
        let item = padded(r#"{"id":"1","pk":"p","name":"a","n":1}"#, 3000);
        let created = account.pay_create(&link, &item).await;
        assert_eq!(created.explanation.as_ref().unwrap().charge(), created.charge);
        let changed = padded(r#"{"id":"1","pk":"p","name":"b"}"#, 900);
        for (name, outcome) in [
            ("replace", account.pay_replace(&link, &item).await),
            ("replace", account.pay_replace(&link, &changed).await),
            ("patch", account.pay_patch(&link, r#"[{"op":"add","path":"/n","value":7}]"#).await),
            ("patch", account.pay_patch(&link, r#"[{"op":"add","path":"/z","value":7}]"#).await),
        ] {
            let explanation = outcome.explanation.unwrap();
            assert_eq!(explanation.charge(), outcome.charge, "{}", explanation.to_json());
            assert_eq!((explanation.operation, explanation.profile), (name, profile));
        }
        let read = account.pay_read(&link, "1", ReadOptions::default()).await.unwrap();
        assert_eq!(read.explanation.unwrap().charge(), read.charge);
        let deleted = account.pay_delete(&link, "1").await.unwrap();
        assert_eq!(deleted.explanation.unwrap().charge(), deleted.charge);
    }
}

#[tokio::test]
async fn a_query_names_its_lookups_and_what_was_loaded_and_scanned() {
    let account = account(ChargeProfile::Native).await;
    let link = account.container(policy(&["/name/?"], "")).await;
    for number in 0..3 {
        let item = format!(r#"{{"id":"{number}","pk":"p","name":"a","nick":{number}}}"#);
        account.pay_create(&link, &padded(&item, 1024)).await;
    }
    let text = "SELECT * FROM c WHERE c.name = 'a' AND c.nick = 1";
    let paid = account.pay_query(&link, text, Some("p"), 10).await;
    assert_eq!(
        paid.explanation.unwrap().to_json().to_string(),
        concat!(
            r#"{"model":"azure-2026-04","profile":"native","operation":"query","charge":2.8882,"terms":["#,
            r#"{"term":"base","count":1,"charge":2.25},{"term":"firstIndexUse","count":1,"charge":0.43},"#,
            r#"{"term":"lookups","count":1,"charge":0.105},"#,
            r#"{"term":"loaded","count":1,"bytes":1024,"charge":0.059},"#,
            r#"{"term":"scanned","count":2,"bytes":2048,"charge":0.0442}]}"#
        )
    );
}

#[tokio::test]
async fn nothing_is_explained_unless_it_is_asked_for() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(plain("c")).await;
    let created =
        account.create_with(&link, None, r#"{"id":"1","pk":"p"}"#, Default::default()).await;
    assert!(created.unwrap().explanation.is_none());
    let query = engine::query::QueryItems::new(link, "SELECT * FROM c");
    assert!(account.engine.query_items(query).await.unwrap().explanation.is_none());
}
