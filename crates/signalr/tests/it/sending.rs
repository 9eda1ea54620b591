//! Messages of the server: to connections, groups, users and all, with and without results.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use planisphere_signalr::{Caller, ConnectionId, Hub, HubErrorKind, HubOptions};

use crate::client::{Client, builder, request, settle};

fn hub() -> Hub<()> {
    builder((), HubOptions::default())
        .user_id(|request| {
            let user = request.headers.get("x-user")?;
            user.to_str().ok().map(str::to_owned)
        })
        .method("Id", |caller: Caller| async move { Ok(caller.connection_id().to_string()) })
        .method("Join", |caller: Caller, group: String| async move { caller.join(group).await })
        .method("Leave", |caller: Caller, group: String| async move { caller.leave(group).await })
        .method("Others", |caller: Caller, group: String| async move {
            caller.others_in_group(group).send("m", ("others",)).await?;
            caller.client().send("m", ("caller",)).await
        })
        .method(
            "Remember",
            |caller: Caller, value: String| async move { Ok(caller.set_item(value)) },
        )
        .build()
}

async fn id_of(client: &mut Client) -> ConnectionId {
    client.send(r#"{"type":1,"invocationId":"id","target":"Id","arguments":[]}"#).await;
    let answer = client.next_message().await.unwrap();
    let id = answer.split("\"result\":\"").nth(1).unwrap().trim_end_matches("\"}");
    ConnectionId::from(id)
}

async fn call(client: &mut Client, target: &str, argument: &str) {
    let sent = format!(
        "{{\"type\":1,\"invocationId\":\"1\",\"target\":\"{target}\",\"arguments\":[\"{argument}\"]}}"
    );
    client.check(&sent, r#"{"type":3,"invocationId":"1"}"#).await;
}

async fn hears(client: &mut Client, text: &str) {
    let expected = format!("{{\"type\":1,\"target\":\"m\",\"arguments\":[\"{text}\"]}}");
    assert_eq!(client.next_message().await, Some(expected));
}

#[tokio::test(start_paused = true)]
async fn a_message_reaches_its_audience_and_nobody_else() {
    let hub = hub();
    let (routes, context) = (hub.routes("/hub"), hub.context());
    let mut alice = Client::connect_as(&routes, Some("alice")).await;
    let mut again = Client::connect_as(&routes, Some("alice")).await;
    let mut bob = Client::connect_as(&routes, Some("bob")).await;
    let (alice_id, bob_id) = (id_of(&mut alice).await, id_of(&mut bob).await);
    call(&mut alice, "Join", "g").await;
    call(&mut bob, "Join", "g").await;
    assert_eq!((context.open_connections(), context.group_members("g")), (3, 2));

    context.group("g").send("m", ("group",)).await.unwrap();
    context.user("alice").send("m", ("user",)).await.unwrap();
    context.connection(bob_id.clone()).send("m", ("connection",)).await.unwrap();
    context.all_except([alice_id]).send("m", ("except",)).await.unwrap();
    context.group_except("g", [bob_id.clone()]).send("m", ("group but bob",)).await.unwrap();
    context.users(["alice".to_owned(), "bob".to_owned()]).send("m", ("both",)).await.unwrap();
    context.groups(["none".to_owned(), "g".to_owned()]).send("m", ("groups",)).await.unwrap();
    context.all().send("m", ("end",)).await.unwrap();
    for text in ["group", "user", "group but bob", "both", "groups", "end"] {
        hears(&mut alice, text).await;
    }
    for text in ["user", "except", "both", "end"] {
        hears(&mut again, text).await;
    }
    for text in ["group", "connection", "except", "both", "groups", "end"] {
        hears(&mut bob, text).await;
    }

    call(&mut alice, "Leave", "g").await;
    context.group("g").send("m", ("without alice",)).await.unwrap();
    hears(&mut bob, "without alice").await;
    bob.cut();
    settle().await;
    assert_eq!(context.group_members("g"), 0, "an ended connection is in no group");
    context.add_to_group(&bob_id, "g").await.unwrap();
    assert_eq!(context.group_members("g"), 0);
    context.all().send("m", ("last",)).await.unwrap();
    hears(&mut alice, "last").await;
}

#[tokio::test(start_paused = true)]
async fn a_method_answers_its_caller_and_keeps_values_for_it() {
    let hub = hub();
    let routes = hub.routes("/hub");
    let (mut near, mut far) = (Client::connect(&routes).await, Client::connect(&routes).await);
    call(&mut near, "Join", "g").await;
    call(&mut far, "Join", "g").await;
    near.send(r#"{"type":1,"target":"Others","arguments":["g"]}"#).await;
    hears(&mut near, "caller").await;
    hears(&mut far, "others").await;
    let remember = r#"{"type":1,"invocationId":"1","target":"Remember","arguments":["x"]}"#;
    near.check(remember, r#"{"type":3,"invocationId":"1","result":null}"#).await;
    near.check(remember, r#"{"type":3,"invocationId":"1","result":"x"}"#).await;
    far.check(remember, r#"{"type":3,"invocationId":"1","result":null}"#).await;
}

#[tokio::test(start_paused = true)]
async fn every_request_of_a_connection_has_the_same_user() {
    let routes: Router = hub().routes("/hub");
    let alice = [("x-user", "alice")];
    let (_, body) = request(&routes, "POST", "/hub/negotiate?negotiateVersion=1", &alice, "").await;
    let answer: serde_json::Value = serde_json::from_str(&body).unwrap();
    let uri = format!("/hub?id={}", answer["connectionToken"].as_str().unwrap());
    assert_eq!(request(&routes, "GET", &uri, &alice, "").await.0, StatusCode::OK);
    for method in ["GET", "POST", "DELETE"] {
        let (status, text) = request(&routes, method, &uri, &[("x-user", "bob")], "").await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method}");
        assert_eq!(text, "The user associated with this connection changed.");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_answers_the_server_or_the_server_learns_why_not() {
    let hub = hub();
    let (routes, context) = (hub.routes("/hub"), hub.context());
    let mut client = Client::connect(&routes).await;
    let id = id_of(&mut client).await;
    let ask = |context: planisphere_signalr::HubContext, id: ConnectionId| {
        tokio::spawn(async move { context.invoke::<u32>(&id, "ask", (1,)).await })
    };
    for (answer, expected) in [
        ("\"result\":5", Ok(5)),
        ("\"result\":\"x\"", Err(HubErrorKind::ClientFailed)),
        ("\"error\":\"busy\"", Err(HubErrorKind::ClientFailed)),
    ] {
        let asked = ask(context.clone(), id.clone());
        let question = client.next_message().await.unwrap();
        let invocation: serde_json::Value = serde_json::from_str(&question).unwrap();
        assert_eq!(invocation["target"], "ask");
        let invocation_id = &invocation["invocationId"];
        client.send(&format!("{{\"type\":3,\"invocationId\":{invocation_id},{answer}}}")).await;
        assert_eq!(asked.await.unwrap().map_err(|error| error.kind()), expected);
    }
    let asked = ask(context.clone(), id.clone());
    let late = tokio::time::timeout(Duration::from_secs(29), asked).await;
    assert!(late.is_err(), "a client has 30 seconds");
    let asked = ask(context.clone(), id.clone());
    settle().await;
    client.cut();
    assert_eq!(asked.await.unwrap().unwrap_err().kind(), HubErrorKind::NotConnected);
    let gone = context.invoke::<u32>(&id, "ask", ()).await;
    assert_eq!(gone.unwrap_err().kind(), HubErrorKind::NotConnected);
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_shuts_down_lets_clients_reconnect_and_takes_no_new_ones() {
    let hub = hub();
    let routes = hub.routes("/hub");
    let mut client = Client::connect(&routes).await;
    let mut silent = Client::open(&routes, "/hub", &[]).await.unwrap();
    let stopping = tokio::spawn({
        let hub = hub.clone();
        async move { hub.shut_down(Duration::from_secs(5)).await }
    });
    assert_eq!(client.next().await.as_deref(), Some(r#"{"type":7,"allowReconnect":true}"#));
    assert_eq!(client.next().await, None);
    assert_eq!(silent.next().await, None);
    assert!(stopping.await.unwrap(), "all connections have ended");
    let (status, _) = request(&routes, "POST", "/hub/negotiate", &[], "").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    let refused = Client::open(&routes, "/hub", &[]).await;
    assert_eq!(refused.err(), Some(StatusCode::SERVICE_UNAVAILABLE));
}
