//! CH-A14, CH-A15: connections begin and end: presence, credentials, origins, floods, an outage.

use chat::UserChange;
use serde_json::json;

use super::client::{HubClient, Transport};
use super::stage::Stage;
use crate::world::{ALICE, BOB, CHARLIE, Embedded, OverGateway, Way, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_who_join_and_leave_are_announced() {
    let stage = Stage::new::<Embedded>(settings()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    alice.event("addUser").await;
    let bob = stage.connect(BOB, Transport::WebSockets).await;
    assert_eq!(alice.event("addUser").await["userName"], BOB);
    let users = alice.invoke("GetUsers", json!(["general"])).await["result"].clone();
    assert_eq!(users.as_array().unwrap().len(), 2);
    let second = stage.connect(BOB, Transport::WebSockets).await;
    drop(bob);
    // The second connection is still there, so bob is.
    alice.invoke("Heartbeat", json!([])).await;
    assert!(!alice.has_event("removeUser"));
    drop(second);
    assert_eq!(alice.event("removeUser").await["userName"], BOB);
    alice.invoke("Join", json!(["ops"])).await;
    let (_, presence) = stage.served.get(ALICE, "/api/presence").await;
    assert_eq!(presence[0]["room"], "ops");
    let (_, hidden) = stage.served.get(CHARLIE, "/api/presence").await;
    assert_eq!(hidden, json!([]), "rooms of others are not shown");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a14_a_vanished_client_is_gone_after_its_heartbeat() {
    check_vanished::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a14_a_vanished_client_is_gone_after_its_heartbeat_over_the_gateway() {
    check_vanished::<OverGateway>().await;
}

async fn check_vanished<W: Way>() {
    let stage = Stage::new::<W>(settings()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    // Charlie's entry is that of a process that was killed: nobody removes it but the sweep.
    let entry =
        json!({ "userName": CHARLIE, "fullName": null, "avatar": null, "currentRoom": "general" });
    let ephemeral = &stage.world.ephemeral;
    chat::EphemeralStore::put_presence(&**ephemeral, CHARLIE, &entry.to_string(), "then")
        .await
        .unwrap();
    assert_eq!(stage.world.chat.sweep_presence().await.unwrap(), 0);
    stage.world.travel(119);
    alice.invoke("Heartbeat", json!([])).await;
    assert_eq!(stage.world.chat.sweep_presence().await.unwrap(), 0);
    stage.world.travel(2);
    assert_eq!(stage.world.chat.sweep_presence().await.unwrap(), 1);
    assert_eq!(alice.event("removeUser").await["userName"], CHARLIE);
    let users = alice.invoke("GetUsers", json!(["general"])).await["result"].clone();
    assert_eq!(users.as_array().unwrap().len(), 1, "alice's heartbeat keeps her: {users}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a14_a_client_that_is_cut_off_leaves_its_room() {
    check_cut_off::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a14_a_client_that_is_cut_off_leaves_its_room_over_the_gateway() {
    check_cut_off::<OverGateway>().await;
}

async fn check_cut_off<W: Way>() {
    let stage = Stage::new::<W>(settings()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    stage.connect(BOB, Transport::WebSockets).await.vanish();
    assert_eq!(alice.event("removeUser").await["userName"], BOB);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_connects_without_credentials_or_from_another_origin() {
    let stage = Stage::new::<Embedded>(settings()).await;
    let good = stage.served.address(ALICE);
    let mut wrong = good.clone();
    wrong.credentials.1 = "Bearer nonsense".to_owned();
    assert_eq!(wrong.negotiate().await.0, 401);
    let mut unknown = good.clone();
    unknown.credentials.1 = format!("Bearer {}", stage.served.token("mallory@x"));
    assert_eq!(unknown.negotiate().await.0, 403);
    let mut foreign = good.clone();
    foreign.origin = Some("https://evil.example".to_owned());
    let (status, _) = foreign.negotiate().await;
    assert_eq!(status, 403);
    let mut own = good.clone();
    own.origin = Some(format!("http://{}", good.host));
    assert_eq!(own.negotiate().await.0, 200);
    // A browser sends the token of a WebSocket in the query.
    let mut by_query = good;
    by_query.credentials = ("x-nothing".to_owned(), "here".to_owned());
    assert_eq!(by_query.negotiate().await.0, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_ends_takes_its_connections_with_it() {
    let stage = Stage::new::<Embedded>(settings()).await;
    let identity = stage.served.server.identity();
    let cookies = identity.start_session(BOB, &[]);
    let pairs: Vec<String> = cookies
        .iter()
        .map(|line| line.to_str().unwrap().split(';').next().unwrap().to_owned())
        .collect();
    let csrf = pairs.iter().find_map(|pair| pair.strip_prefix("csrf=")).unwrap().to_owned();
    let mut address = stage.served.address(BOB);
    address.credentials = ("cookie".to_owned(), pairs.join("; "));
    let mut bob = HubClient::connect(&address, Transport::WebSockets).await.unwrap();
    bob.event("presenceSnapshot").await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let logout = http.post(format!("http://{}/api/auth/logout", address.host));
    let logout = logout.header("cookie", pairs.join("; ")).header("x-csrf-token", csrf);
    assert_eq!(logout.send().await.unwrap().status().as_u16(), 200);
    bob.ended().await;
    assert_eq!(address.negotiate().await.0, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_who_is_disabled_or_loses_a_room_is_out_at_the_next_heartbeat() {
    let stage = Stage::new::<Embedded>(settings()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    stage.world.chat.set_user_rooms(ALICE, &["ops".to_owned()]).await.unwrap();
    alice.invoke("Heartbeat", json!([])).await;
    assert_eq!(alice.event("onError").await, "you are no member of the room 'general'");
    let off = UserChange { enabled: Some(false), ..UserChange::default() };
    stage.world.chat.change_user(ALICE, off).await.unwrap();
    alice.invoke("Heartbeat", json!([])).await;
    alice.ended().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_of_connections_and_negotiations_are_refused_and_others_go_on() {
    let mut limited = settings();
    limited.chat.connections_per_user = 2;
    let stage = Stage::new::<Embedded>(limited).await;
    let mut bob = stage.connect(BOB, Transport::WebSockets).await;
    let _first = stage.connect(ALICE, Transport::WebSockets).await;
    let _second = stage.connect(ALICE, Transport::WebSockets).await;
    let mut third =
        HubClient::connect(&stage.served.address(ALICE), Transport::WebSockets).await.unwrap();
    third.ended().await;
    let address = stage.served.address(ALICE);
    let mut refused = 0;
    for _ in 0..150 {
        refused += usize::from(address.negotiate().await.0 == 429);
    }
    assert!(refused >= 50, "{refused}");
    bob.invoke("SendMessage", json!(["still here", "c1"])).await;
    assert_eq!(bob.event("newMessage").await["content"], "still here");
}
