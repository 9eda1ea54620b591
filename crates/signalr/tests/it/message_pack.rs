//! The MessagePack protocol, byte by byte.

use bytes::Bytes;
use futures::stream;
use planisphere_signalr::{Hub, HubError, HubOptions};
use serde::{Deserialize, Serialize};

use crate::client::{Client, builder};

#[derive(Serialize, Deserialize)]
struct Person {
    name: String,
    age: u8,
}

fn hub(detailed_errors: bool) -> Hub<()> {
    builder((), HubOptions { detailed_errors, ..HubOptions::default() })
        .method(
            "Older",
            |_, person: Person| async move { Ok(Person { age: person.age + 1, ..person }) },
        )
        .method("Bytes", |_, bytes: Bytes| async move { Ok(bytes) })
        .method("Nothing", |_| async move { Ok(()) })
        .stream("Count", |_, last: u32| async move {
            Ok(stream::iter((1..=last).map(Ok::<_, HubError>)))
        })
        .build()
}

async fn connect(hub: &Hub<()>) -> Client {
    let mut client = Client::open(&hub.routes("/hub"), "/hub", &[]).await.unwrap();
    client.send(r#"{"protocol":"messagepack","version":1}"#).await;
    assert_eq!(client.next_bytes().await.as_deref(), Some(b"{}\x1e".as_slice()));
    client
}

/// A message behind its length.
fn framed(body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(body.len()).unwrap()];
    assert!(bytes[0] < 128);
    bytes.extend_from_slice(body);
    bytes
}

async fn check(client: &mut Client, sent: &[u8], expected: &[u8]) {
    client.send_bytes(framed(sent)).await;
    assert_eq!(client.next_bytes().await, Some(framed(expected)), "{sent:x?}");
}

#[tokio::test(start_paused = true)]
async fn calls_and_streams_have_the_bytes_of_the_specification() {
    let mut client = connect(&hub(false)).await;
    // [1, {}, "1", "Older", [{"name": "Al", "age": 7}], []]
    let older = b"\x96\x01\x80\xa11\xa5Older\x91\x82\xa4name\xa2Al\xa3age\x07\x90";
    check(&mut client, older, b"\x95\x03\x80\xa11\x03\x82\xa4name\xa2Al\xa3age\x08").await;
    // Early clients sent five items.
    check(&mut client, b"\x95\x01\x80\xa11\xa7Nothing\x90", b"\x94\x03\x80\xa11\x02").await;
    check(
        &mut client,
        b"\x96\x01\x80\xa11\xa5Bytes\x91\xc4\x02\x00\xff\x90",
        b"\x95\x03\x80\xa11\x03\xc4\x02\x00\xff",
    )
    .await;
    check(&mut client, b"\x96\x04\x80\xa1s\xa5Count\x91\x01\x90", b"\x94\x02\x80\xa1s\x01").await;
    assert_eq!(client.next_bytes().await, Some(framed(b"\x94\x03\x80\xa1s\x02")));
    let unknown = b"\x95\x03\x80\xa11\x01\xd9\x5bFailed to invoke 'Gone' due to an error on the \
        server. HubException: Method does not exist.";
    client.send_bytes(framed(b"\x96\x01\x80\xa11\xa4Gone\x90\x90")).await;
    assert_eq!(client.next_bytes().await, Some(framed(unknown)));
}

#[tokio::test(start_paused = true)]
async fn a_message_of_the_server_is_written_once_for_each_protocol() {
    let hub = hub(false);
    let mut packed = connect(&hub).await;
    let mut plain = Client::connect(&hub.routes("/hub")).await;
    hub.context().all().send("m", (Person { name: "Al".to_owned(), age: 7 },)).await.unwrap();
    let expected = framed(b"\x96\x01\x80\xc0\xa1m\x91\x82\xa4name\xa2Al\xa3age\x07\x90");
    assert_eq!(packed.next_bytes().await, Some(expected));
    let expected = r#"{"type":1,"target":"m","arguments":[{"name":"Al","age":7}]}"#;
    assert_eq!(plain.next().await.as_deref(), Some(expected));
}

async fn check_violation(sent: Vec<u8>, detail: &str) {
    let mut client = connect(&hub(true)).await;
    client.send_bytes(sent).await;
    let answer = client.next_bytes().await.unwrap();
    let text = format!("Connection closed with an error. InvalidDataException: {detail}");
    let has_text = answer.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has_text, "{text}\n{}", String::from_utf8_lossy(&answer));
    assert_eq!(answer.last(), Some(&0xc3), "the client may reconnect");
}

#[tokio::test(start_paused = true)]
async fn bad_bytes_end_the_connection_with_the_error_of_the_official_server() {
    check_violation(framed(b"\xc0"), "Reading array length for 'message' failed.").await;
    check_violation(framed(b"\x91\xa1x"), "Reading 'messageType' as Int32 failed.").await;
    check_violation(framed(b"\x96\x01\x80\x01"), "Reading 'invocationId' as String failed.").await;
    check_violation(
        framed(b"\x96\x04\x80\xc0"),
        "Null or empty invocation ID for StreamInvocation message.",
    )
    .await;
    check_violation(framed(b"\x95\x03\x80\xa11\x09"), "Invalid invocation result kind.").await;
    // An array of four billion items that are not there must cost nothing.
    check_violation(
        framed(b"\x96\x01\x80\xa11\xa1x\x91\xdd\xff\xff\xff\xff"),
        "Deserializing object for 'argument' failed.",
    )
    .await;
    check_violation(
        vec![0x81, 0x80, 0x08],
        "The maximum message size of 32768B was exceeded. \
         The message size can be configured in AddHubOptions.",
    )
    .await;
    check_violation(
        vec![0xff, 0xff, 0xff, 0xff, 0x0f],
        "Messages over 2GB in size are not supported.",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn half_a_message_waits_for_its_rest() {
    let mut client = connect(&hub(false)).await;
    let bytes = framed(b"\x95\x01\x80\xa11\xa7Nothing\x90");
    for byte in bytes {
        client.send_bytes(vec![byte]).await;
    }
    assert_eq!(client.next_bytes().await, Some(framed(b"\x94\x03\x80\xa11\x02")));
}
