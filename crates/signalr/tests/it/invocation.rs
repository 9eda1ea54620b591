//! Calls of hub methods and the errors of wrong ones.

use planisphere_signalr::{Caller, Cancellation, DisconnectReason, HubError, HubOptions};
use tokio::sync::mpsc;

use crate::client::{Client, builder, settle};

fn routes(detailed_errors: bool) -> axum::Router {
    let options = HubOptions { detailed_errors, ..HubOptions::default() };
    builder((), options)
        .method("Add", |_, left: i64, right: i64| async move { Ok(left + right) })
        .method("Maybe", |_, value: Option<String>| async move { Ok(value) })
        .method("Nothing", |_| async move { Ok(()) })
        .method("Refuse", |_, why: String| async move { Err::<(), _>(HubError::refused(why)) })
        .method("Fail", |_| async move { Err::<(), _>(HubError::internal("secret")) })
        .method("Panic", |_, number: usize| async move {
            let numbers = [1, 2];
            Ok(numbers[number])
        })
        .stream("Count", |_, last: u32| async move {
            Ok(futures::stream::iter((1..=last).map(Ok::<_, HubError>)))
        })
        .build()
        .routes("/hub")
}

async fn check(sent: &str, expected: &str) {
    Client::connect(&routes(false)).await.check(sent, expected).await;
}

/// Expects an error under the id 1.
async fn check_error(sent: &str, error: &str) {
    let expected = format!("{{\"type\":3,\"invocationId\":\"1\",\"error\":\"{error}\"}}");
    check(sent, &expected).await;
}

async fn check_detailed(sent: &str, error: &str) {
    let expected = format!("{{\"type\":3,\"invocationId\":\"1\",\"error\":\"{error}\"}}");
    Client::connect(&routes(true)).await.check(sent, &expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_answered_under_its_id() {
    check(
        r#"{"type":1,"invocationId":"7","target":"Add","arguments":[40,2]}"#,
        r#"{"type":3,"invocationId":"7","result":42}"#,
    )
    .await;
    check(
        r#"{"arguments":[1,1],"target":"aDD","headers":{"a":"b"},"invocationId":"x","type":1}"#,
        r#"{"type":3,"invocationId":"x","result":2}"#,
    )
    .await;
    check(
        r#"{"type":1,"invocationId":"1","target":"Nothing","arguments":[]}"#,
        r#"{"type":3,"invocationId":"1"}"#,
    )
    .await;
    check(
        r#"{"type":1,"invocationId":"1","target":"Maybe","arguments":[null]}"#,
        r#"{"type":3,"invocationId":"1","result":null}"#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn wrong_calls_get_the_error_of_the_official_server() {
    check_error(
        r#"{"type":1,"invocationId":"1","target":"Gone","arguments":[]}"#,
        "Failed to invoke 'Gone' due to an error on the server. HubException: Method \
         does not exist.",
    )
    .await;
    let unbound = "Failed to invoke 'Add' due to an error on the server.";
    check_error(r#"{"type":1,"invocationId":"1","target":"Add","arguments":[1]}"#, unbound).await;
    check_error(r#"{"type":1,"invocationId":"1","target":"Add","arguments":[1,"x"]}"#, unbound)
        .await;
    check_detailed(
        r#"{"type":1,"invocationId":"1","target":"Add","arguments":[1]}"#,
        "Failed to invoke 'Add' due to an error on the server. InvalidDataException: \
         Invocation provides 1 argument(s) but target expects 2.",
    )
    .await;
    check_detailed(
        r#"{"type":1,"invocationId":"1","target":"Add","arguments":[1,"x"]}"#,
        "Failed to invoke 'Add' due to an error on the server. InvalidDataException: \
         Error binding arguments. Make sure that the types of the provided values match \
         the types of the hub method being invoked.",
    )
    .await;
    check_error(
        r#"{"type":1,"invocationId":"1","target":"Count","arguments":[1]}"#,
        "The client attempted to invoke the streaming 'Count' method with a \
         non-streaming invocation.",
    )
    .await;
    check_error(
        r#"{"type":4,"invocationId":"1","target":"Add","arguments":[1,2]}"#,
        "The client attempted to invoke the non-streaming 'Add' method with a streaming \
         invocation.",
    )
    .await;
    check_error(
        r#"{"type":1,"invocationId":"1","target":"Add","arguments":[1,2],"streamIds":["s"]}"#,
        "An unexpected error occurred invoking 'Add' on the server. HubException: \
         Client sent 1 stream(s), Hub method expects 0.",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_client_reads_refusals_and_learns_nothing_of_failures() {
    check_error(
        r#"{"type":1,"invocationId":"1","target":"Refuse","arguments":["not you"]}"#,
        "An unexpected error occurred invoking 'Refuse' on the server. HubException: \
         not you",
    )
    .await;
    check_error(
        r#"{"type":1,"invocationId":"1","target":"Fail","arguments":[]}"#,
        "An unexpected error occurred invoking 'Fail' on the server.",
    )
    .await;
    check_error(
        r#"{"type":1,"invocationId":"1","target":"Panic","arguments":[2]}"#,
        "An unexpected error occurred invoking 'Panic' on the server.",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_id_gets_no_answer_even_if_it_fails() {
    let mut client = Client::connect(&routes(false)).await;
    client.send(r#"{"type":1,"target":"Fail","arguments":[]}"#).await;
    client.send(r#"{"type":1,"target":"Gone","arguments":[]}"#).await;
    client
        .check(
            r#"{"type":1,"invocationId":"1","target":"Nothing","arguments":[]}"#,
            r#"{"type":3,"invocationId":"1"}"#,
        )
        .await;
}

async fn check_violation(sent: &str, detail: &str) {
    let mut client = Client::connect(&routes(true)).await;
    let expected = format!(
        "{{\"type\":7,\"error\":\"Connection closed with an error. InvalidDataException: {detail}\",\
         \"allowReconnect\":true}}"
    );
    client.check(sent, &expected).await;
    assert_eq!(client.next().await, None);
    let mut client = Client::connect(&routes(false)).await;
    let expected = r#"{"type":7,"error":"Connection closed with an error.","allowReconnect":true}"#;
    client.check(sent, expected).await;
}

#[tokio::test(start_paused = true)]
async fn bad_frames_end_the_connection_with_the_error_of_the_official_server() {
    check_violation("{", "Error reading JSON.").await;
    check_violation("{}", "Missing required property 'type'.").await;
    check_violation(r#"{"type":"1"}"#, "Expected 'type' to be of type Number.").await;
    check_violation(r#"{"type":1}"#, "Missing required property 'target'.").await;
    check_violation(r#"{"type":1,"target":"a"}"#, "Missing required property 'arguments'.").await;
    check_violation(
        r#"{"type":1,"target":"a","arguments":{}}"#,
        "Expected 'arguments' to be of type Array.",
    )
    .await;
    check_violation(
        r#"{"type":4,"target":"a","arguments":[]}"#,
        "Missing required property 'invocationId'.",
    )
    .await;
    check_violation(r#"{"type":2,"invocationId":"1"}"#, "Missing required property 'item'.").await;
    check_violation(
        r#"{"type":3,"invocationId":"1","error":"e","result":1}"#,
        "The 'error' and 'result' properties are mutually exclusive.",
    )
    .await;
    check_violation(r#"{"type":8}"#, "Missing required property 'sequenceId'.").await;
    let long = format!("{{\"type\":6,\"x\":\"{}\"}}", "x".repeat(33_000));
    let oversize = "The maximum message size of 32768B was exceeded. \
                    The message size can be configured in AddHubOptions.";
    check_violation(&long, oversize).await;
    let huge = format!("{{\"type\":6,\"x\":\"{}\"}}", "x".repeat(200_000));
    check_violation(&huge, oversize).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_may_come_in_pieces_and_unknown_types_are_ignored() {
    let mut client = Client::connect(&routes(false)).await;
    client.send(r#"{"type":99,"whatever":true}"#).await;
    client.send_raw(r#"{"type":1,"invocationId":"1","#).await;
    client.send_raw("\"target\":\"Add\",\"arguments\":[1,2]}\u{1e}{\"ty").await;
    assert_eq!(
        client.next_message().await.as_deref(),
        Some(r#"{"type":3,"invocationId":"1","result":3}"#)
    );
    client.send_raw("pe\":6}\u{1e}").await;
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_connection_run_in_order_one_after_the_other() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let routes = builder((), HubOptions::default())
        .method("Slow", move |_, name: String, milliseconds: u64| {
            let started = started.clone();
            async move {
                started.send(name.clone()).unwrap();
                tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
                Ok(name)
            }
        })
        .build()
        .routes("/hub");
    let mut client = Client::connect(&routes).await;
    for (name, milliseconds) in [("a", 500), ("b", 1)] {
        let call = format!(
            "{{\"type\":1,\"invocationId\":\"{name}\",\"target\":\"Slow\",\
             \"arguments\":[\"{name}\",{milliseconds}]}}"
        );
        client.send(&call).await;
    }
    settle().await;
    assert_eq!(starts.try_recv().unwrap(), "a");
    assert!(starts.try_recv().is_err(), "the second call waits for the first");
    for name in ["a", "b"] {
        let expected = format!("{{\"type\":3,\"invocationId\":\"{name}\",\"result\":\"{name}\"}}");
        assert_eq!(client.next_message().await, Some(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_with_a_cancellation_hears_the_client_and_the_end_of_the_connection() {
    let (heard, mut hears) = mpsc::unbounded_channel();
    let options = HubOptions { parallel_invocations_max: 2, ..HubOptions::default() };
    let routes = builder((), options)
        .method("Wait", move |_, name: String, cancellation: Cancellation| {
            let heard = heard.clone();
            async move {
                cancellation.cancelled().await;
                heard.send(name).unwrap();
                Ok(cancellation.is_cancelled())
            }
        })
        .build()
        .routes("/hub");
    let mut client = Client::connect(&routes).await;
    client.send(r#"{"type":1,"invocationId":"1","target":"Wait","arguments":["a"]}"#).await;
    client
        .check(
            r#"{"type":1,"invocationId":"1","target":"Wait","arguments":["b"]}"#,
            r#"{"type":3,"invocationId":"1","error":"Invocation ID '1' is already in use."}"#,
        )
        .await;
    client
        .check(r#"{"type":5,"invocationId":"1"}"#, r#"{"type":3,"invocationId":"1","result":true}"#)
        .await;
    assert_eq!(hears.recv().await.as_deref(), Some("a"));
    client.send(r#"{"type":5,"invocationId":"unknown"}"#).await;
    client.send(r#"{"type":1,"target":"Wait","arguments":["c"]}"#).await;
    settle().await;
    client.cut();
    assert_eq!(hears.recv().await.as_deref(), Some("c"));
}

#[tokio::test(start_paused = true)]
async fn the_hub_hears_why_a_connection_ended() {
    let (ended, mut ends) = mpsc::unbounded_channel();
    let routes = builder((), HubOptions::default())
        .on_disconnected(move |_, reason| {
            let ended = ended.clone();
            async move { ended.send(reason).unwrap() }
        })
        .method("Leave", |caller: Caller| async move {
            caller.abort();
            Ok(())
        })
        .build()
        .routes("/hub");
    let mut client = Client::connect(&routes).await;
    client.check(r#"{"type":7}"#, r#"{"type":7}"#).await;
    assert_eq!(ends.recv().await, Some(DisconnectReason::Closed));
    let mut client = Client::connect(&routes).await;
    client.check(r#"{"type":7,"error":"tired"}"#, r#"{"type":7}"#).await;
    assert_eq!(ends.recv().await, Some(DisconnectReason::ClosedWithError("tired".to_owned())));
    Client::connect(&routes).await.close().await;
    assert_eq!(ends.recv().await, Some(DisconnectReason::Closed));
    Client::connect(&routes).await.cut();
    assert_eq!(ends.recv().await, Some(DisconnectReason::Lost));
    let mut client = Client::connect(&routes).await;
    client.send(r#"{"type":1,"target":"Leave","arguments":[]}"#).await;
    assert_eq!(client.next_message().await.as_deref(), Some(r#"{"type":7}"#));
    assert_eq!(ends.recv().await, Some(DisconnectReason::Aborted));
    let mut client = Client::connect(&routes).await;
    client.send("{").await;
    let violated = DisconnectReason::ProtocolViolated("Error reading JSON.".to_owned());
    assert_eq!(ends.recv().await, Some(violated));
}
