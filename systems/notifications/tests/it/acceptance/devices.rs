//! Devices, and data of other users: NT-A8 and A15.

use std::sync::Arc;

use serde_json::{Value, json};

use super::ask::{Ask, Way};
use super::stage::{Stage, event, like};
use super::store::rows_of;
use crate::site::{Interface, fields};

pub(crate) async fn nt_a08_a_fourth_device_takes_the_place_of_the_oldest<W: Way>() {
    let stage = Stage::<W>::new().await;
    for device in ["d1", "d2", "d3"] {
        let registered = stage.register("bob", device).await;
        assert_eq!(
            (&registered["new"], &registered["evictedDevice"]),
            (&json!(true), &Value::Null)
        );
        stage.travel_minutes(1);
    }
    let fourth = stage.register("bob", "d4").await;
    assert_eq!(fourth["evictedDevice"]["deviceId"], "d1");
    assert_eq!(fourth["evictedDevice"]["revokedReason"], "cap");
    assert!(fourth["evictedDevice"]["revokedAt"].is_string(), "{fourth}");
    assert_eq!(stage.active("bob").await, ["d2", "d3", "d4"]);
    stage.travel_minutes(1);
    let back = stage.register("bob", "d1").await;
    assert_eq!((&back["new"], &back["device"]["revokedAt"]), (&json!(false), &Value::Null));
    assert_eq!(back["evictedDevice"]["deviceId"], "d2");
    assert_eq!(stage.active("bob").await, ["d1", "d3", "d4"]);
    assert_eq!(stage.devices("bob").await.len(), 4, "those revoked stay known");
}

pub(crate) async fn nt_a08_phones_at_the_same_time_are_never_more_than_three<W: Way>() {
    let stage = Arc::new(Stage::<W>::new().await);
    let mut phones = Vec::new();
    for number in 0..4 {
        let stage = Arc::clone(&stage);
        phones.push(tokio::spawn(async move {
            stage.register("bob", &format!("d{number}")).await;
            assert!(stage.active("bob").await.len() <= 3);
        }));
    }
    for phone in phones {
        phone.await.unwrap();
    }
    assert_eq!((stage.active("bob").await.len(), stage.devices("bob").await.len()), (3, 4));
}

pub(crate) async fn nt_a15_what_is_another_users_is_not_found<W: Way>() {
    let stage = Stage::<W>::new().await;
    stage.register("alice", "alices-device").await;
    stage.processed(&event("alice", "POST_LIKE", "carol", "p1")).await;
    let id = stage.list("alice").await[0]["id"].as_str().unwrap().to_owned();
    let before = rows_of(&stage.store, "alice").await;
    for ask in
        [Ask::Read("bob", &id), Ask::Dismiss("bob", &id), Ask::Revoke("bob", "alices-device")]
    {
        assert_eq!(stage.ask(ask).await.unwrap_err().status, 404, "{ask:?}");
    }
    assert_eq!(stage.list("bob").await, Vec::<Value>::new());
    assert_eq!(stage.devices("bob").await, Vec::<Value>::new());
    assert_eq!(rows_of(&stage.store, "alice").await, before);
    // Tokens, roles and the number of recipients are of the HTTP interface, whatever the account.
    let interface = Interface::of(&stage.system, &stage.environment).await;
    let path = "/api/notifications/send";
    for (method, path) in [("GET", "/api/notifications"), ("POST", path)] {
        let nobody = interface.respond(None, method, path, Some(&json!({}))).await;
        assert_eq!(nobody.status().as_u16(), 401);
        let header = nobody.headers()["www-authenticate"].to_str().unwrap();
        assert!(header.starts_with("Bearer"), "{header}");
    }
    assert_eq!(interface.post("bob", path, like("bob")).await.0, 403);
    let mut many = like("alice");
    many.as_object_mut().unwrap().remove("userId");
    many["userIds"] = (0..51).map(|number| format!("u{number}")).collect();
    let (status, problem) = interface.post("service", path, many.clone()).await;
    assert_eq!((status, fields(&problem)), (400, vec!["userIds".to_owned()]));
    assert_eq!(stage.answer(Ask::Stats).await["events"]["PENDING"], 0, "nothing of it is stored");
    many["userIds"].as_array_mut().unwrap().truncate(50);
    assert_eq!(interface.post("service", path, many).await.1["queued"], 50);
}
