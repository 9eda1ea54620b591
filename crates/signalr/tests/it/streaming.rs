//! Streams both ways.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::{StreamExt as _, stream};
use planisphere_signalr::{Caller, HubError, HubOptions, UploadStream};

use crate::client::{Client, builder, settle};

struct CountsDrop(Arc<AtomicUsize>);

impl Drop for CountsDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn routes(dropped: &Arc<AtomicUsize>, options: HubOptions) -> axum::Router {
    builder(Arc::clone(dropped), options)
        .stream("Count", |_, last: u32| async move {
            Ok(stream::iter((1..=last).map(Ok::<_, HubError>)))
        })
        .stream("Broken", |_| async move {
            let items = [Ok(1), Err(HubError::refused("out of items"))];
            Ok(stream::iter(items))
        })
        .stream("Unstarted", |_| async move {
            Err::<stream::Empty<Result<u32, HubError>>, _>(HubError::refused("no"))
        })
        .stream("Endless", |caller: Caller<Arc<AtomicUsize>>| async move {
            let counted = CountsDrop(Arc::clone(caller.state()));
            Ok(stream::unfold(counted, |counted| async move {
                tokio::time::sleep(Duration::from_millis(10)).await;
                Some((Ok(1), counted))
            }))
        })
        .method("Sum", |_, numbers: UploadStream<i64>| async move {
            let mut numbers = numbers;
            let mut total = 0;
            while let Some(number) = numbers.next().await {
                total += number.map_err(|error| HubError::refused(error.message().to_owned()))?;
            }
            Ok(total)
        })
        .stream("Double", |_, numbers: UploadStream<i64>| async move {
            Ok(numbers.map(|number| number.map(|number| number * 2)))
        })
        .build()
        .routes("/hub")
}

async fn client(dropped: &Arc<AtomicUsize>) -> Client {
    Client::connect(&routes(dropped, HubOptions::default())).await
}

async fn expect(client: &mut Client, expected: &[&str]) {
    for expected in expected {
        assert_eq!(client.next_message().await.as_deref(), Some(*expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_sends_its_items_and_then_its_end() {
    let mut client = client(&Arc::default()).await;
    client.send(r#"{"type":4,"invocationId":"s","target":"Count","arguments":[2]}"#).await;
    let expected = [
        r#"{"type":2,"invocationId":"s","item":1}"#,
        r#"{"type":2,"invocationId":"s","item":2}"#,
        r#"{"type":3,"invocationId":"s"}"#,
    ];
    expect(&mut client, &expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_ends_with_its_error() {
    let mut client = client(&Arc::default()).await;
    client.send(r#"{"type":4,"invocationId":"s","target":"Broken","arguments":[]}"#).await;
    let expected = [
        r#"{"type":2,"invocationId":"s","item":1}"#,
        concat!(
            r#"{"type":3,"invocationId":"s","error":"An error occurred on the server while "#,
            r#"streaming results. HubException: out of items"}"#
        ),
    ];
    expect(&mut client, &expected).await;
    client.send(r#"{"type":4,"invocationId":"s","target":"Unstarted","arguments":[]}"#).await;
    let expected = [concat!(
        r#"{"type":3,"invocationId":"s","error":"An unexpected error occurred invoking "#,
        r#"'Unstarted' on the server. HubException: no"}"#
    )];
    expect(&mut client, &expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_stream_is_dropped_and_completed() {
    let dropped = Arc::default();
    let mut client = client(&dropped).await;
    client.send(r#"{"type":4,"invocationId":"s","target":"Endless","arguments":[]}"#).await;
    expect(&mut client, &[r#"{"type":2,"invocationId":"s","item":1}"#]).await;
    client.send(r#"{"type":5,"invocationId":"s"}"#).await;
    while client.next_message().await.as_deref() != Some(r#"{"type":3,"invocationId":"s"}"#) {}
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    client.send(r#"{"type":4,"invocationId":"t","target":"Endless","arguments":[]}"#).await;
    expect(&mut client, &[r#"{"type":2,"invocationId":"t","item":1}"#]).await;
    client.cut();
    settle().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 2, "the end of the connection ends its streams");
}

#[tokio::test(start_paused = true)]
async fn uploaded_items_reach_the_method_even_more_than_it_buffers() {
    let mut client = client(&Arc::default()).await;
    client
        .send(r#"{"type":1,"invocationId":"1","target":"Sum","arguments":[],"streamIds":["u"]}"#)
        .await;
    for number in 1..=100 {
        client.send(&format!("{{\"type\":2,\"invocationId\":\"u\",\"item\":{number}}}")).await;
    }
    client.send(r#"{"type":3,"invocationId":"u"}"#).await;
    expect(&mut client, &[r#"{"type":3,"invocationId":"1","result":5050}"#]).await;
    client.send(r#"{"type":2,"invocationId":"u","item":1}"#).await;
    client.send(r#"{"type":3,"invocationId":"u"}"#).await;
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_fails_or_has_wrong_items_is_an_error_for_the_method() {
    let mut client = client(&Arc::default()).await;
    let what = "An unexpected error occurred invoking 'Sum' on the server. HubException:";
    let call = r#"{"type":1,"invocationId":"1","target":"Sum","arguments":[],"streamIds":["u"]}"#;
    for (sent, error) in [
        (r#"{"type":3,"invocationId":"u","error":"disk full"}"#, "disk full"),
        (r#"{"type":2,"invocationId":"u","item":"x"}"#, "Failed to bind Stream message."),
    ] {
        client.send(call).await;
        client.send(sent).await;
        let expected =
            format!("{{\"type\":3,\"invocationId\":\"1\",\"error\":\"{what} {error}\"}}");
        assert_eq!(client.next_message().await, Some(expected));
    }
    client.send(call).await;
    let used = r#"{"type":3,"invocationId":"2","error":"Stream ID 'u' is already in use."}"#;
    client
        .check(
            r#"{"type":1,"invocationId":"2","target":"Sum","arguments":[],"streamIds":["u"]}"#,
            used,
        )
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_may_go_both_ways_at_once() {
    let mut client = client(&Arc::default()).await;
    client
        .send(r#"{"type":4,"invocationId":"s","target":"Double","arguments":[],"streamIds":["u"]}"#)
        .await;
    client
        .check(
            r#"{"type":2,"invocationId":"u","item":21}"#,
            r#"{"type":2,"invocationId":"s","item":42}"#,
        )
        .await;
    client.check(r#"{"type":3,"invocationId":"u"}"#, r#"{"type":3,"invocationId":"s"}"#).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_has_only_so_many_streams() {
    let options = HubOptions { streams_max: 1, ..HubOptions::default() };
    let mut client = Client::connect(&routes(&Arc::default(), options)).await;
    client
        .send(r#"{"type":4,"invocationId":"a","target":"Double","arguments":[],"streamIds":["u"]}"#)
        .await;
    let refused = client.next_message().await.unwrap();
    assert!(refused.contains("the connection has 1 open streams"), "{refused}");
    client.send(r#"{"type":4,"invocationId":"b","target":"Endless","arguments":[]}"#).await;
    expect(&mut client, &[r#"{"type":2,"invocationId":"b","item":1}"#]).await;
    client.send(r#"{"type":5,"invocationId":"b"}"#).await;
    while client.next_message().await.as_deref() != Some(r#"{"type":3,"invocationId":"b"}"#) {}
    settle().await;
    client.send(r#"{"type":4,"invocationId":"c","target":"Count","arguments":[1]}"#).await;
    expect(&mut client, &[r#"{"type":2,"invocationId":"c","item":1}"#]).await;
}
