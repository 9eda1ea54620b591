//! A hub for the official clients to talk to; `cargo xtask conformance --signalr` starts it.
//!
//! Prints one line of JSON with its endpoint and that of a forwarder in front of it. `POST /control/cut` breaks every
//! connection of the forwarder, `POST /control/stop` shuts the hub `/ending` down. The user is the bearer token.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::routing::post;
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use planisphere_signalr::{
    Caller, Cancellation, Hub, HubBuilder, HubError, HubOptions, UploadStream,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the methods share.
#[derive(Default)]
struct Judged {
    /// Streams and calls that ended because their client did not want them any more.
    cancelled: Arc<AtomicUsize>,
}

type Judge = Caller<Judged>;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Person {
    display_name: String,
    age: u32,
    tags: Vec<String>,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let hub = methods(Hub::builder(Judged::default()).options(options())).build();
    let ending = methods(Hub::builder(Judged::default()).options(options())).build();
    let (cut, cuts) = watch::channel(0_u64);
    let stopping = ending.clone();
    let application = hub
        .routes("/hub")
        .merge(ending.routes("/ending"))
        .route("/control/cut", post(move || async move { cut.send_modify(|count| *count += 1) }))
        .route(
            "/control/stop",
            post(
                move || async move { stopping.shut_down(Duration::from_secs(5)).await.to_string() },
            ),
        );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let forwarder = TcpListener::bind("127.0.0.1:0").await?;
    let (server, forwarded) = (listener.local_addr()?, forwarder.local_addr()?);
    tokio::spawn(forward(forwarder, server, cuts));
    let mut output = io::stdout();
    writeln!(output, "{{\"endpoint\":\"http://{server}\",\"forwarder\":\"http://{forwarded}\"}}")?;
    output.flush()?;
    axum::serve(listener, application).await
}

fn options() -> HubOptions {
    HubOptions {
        stateful_reconnect: true,
        keep_alive_interval: Duration::from_secs(2),
        parallel_invocations_max: 4,
        ..HubOptions::default()
    }
}

fn methods(builder: HubBuilder<Judged>) -> HubBuilder<Judged> {
    talking(streaming(builder))
        .method("Echo", |_: Judge, value: Value| async move { Ok(value) })
        .method("EchoPerson", |_: Judge, person: Person| async move { Ok(person) })
        .method("EchoBytes", |_: Judge, bytes: Bytes| async move { Ok(bytes) })
        .method("Add", |_: Judge, left: i64, right: i64| async move { Ok(left + right) })
        .method("Nothing", |_: Judge| async move { Ok(()) })
        .method("Refuse", |_: Judge, reason: String| async move {
            Err::<(), _>(HubError::refused(reason))
        })
        .method("Fail", |_: Judge| async move {
            Err::<(), _>(HubError::internal("a secret of the server"))
        })
        .method("Big", |_: Judge, bytes: usize| async move { Ok("x".repeat(bytes)) })
        .method(
            "ConnectionId",
            |caller: Judge| async move { Ok(caller.connection_id().to_string()) },
        )
        .method("User", |caller: Judge| async move { Ok(caller.user().map(str::to_owned)) })
        .method("Cancelled", |caller: Judge| async move {
            Ok(caller.state().cancelled.load(Ordering::SeqCst))
        })
        .method("WaitForCancel", wait_for_cancel)
        .method("Abort", |caller: Judge| async move {
            caller.abort();
            Ok(())
        })
        .user_id(bearer)
}

fn talking(builder: HubBuilder<Judged>) -> HubBuilder<Judged> {
    builder
        .method("Join", |caller: Judge, group: String| async move { caller.join(group).await })
        .method("Leave", |caller: Judge, group: String| async move { caller.leave(group).await })
        .method("ToGroup", |caller: Judge, group: String, text: String| async move {
            caller.hub().group(group).send("message", (text,)).await
        })
        .method("ToOthersInGroup", |caller: Judge, group: String, text: String| async move {
            caller.others_in_group(group).send("message", (text,)).await
        })
        .method("ToUser", |caller: Judge, user: String, text: String| async move {
            caller.hub().user(user).send("message", (text,)).await
        })
        .method("ToConnection", |caller: Judge, id: String, text: String| async move {
            caller.hub().connection(id).send("message", (text,)).await
        })
        .method("ToCaller", |caller: Judge, text: String| async move {
            caller.client().send("message", (text,)).await
        })
        .method("Burst", |caller: Judge, count: u32| async move {
            for number in 0..count {
                caller.client().send("number", (number,)).await?;
            }
            Ok(())
        })
        .method("Ask", |caller: Judge, question: String| async move {
            caller
                .invoke::<String>("answer", (question,))
                .await
                .map_err(|error| HubError::refused(format!("no answer: {error}")))
        })
}

fn streaming(builder: HubBuilder<Judged>) -> HubBuilder<Judged> {
    builder
        .stream("CountTo", |_: Judge, last: u32| async move {
            Ok(stream::iter((1..=last).map(Ok::<_, HubError>)))
        })
        .stream("FailAfter", |_: Judge, count: u32| async move {
            let items = stream::iter((1..=count).map(Ok::<_, HubError>));
            Ok(items.chain(stream::once(async { Err(HubError::refused("the stream broke")) })))
        })
        .stream("Endless", |caller: Judge| async move {
            let counted = CountsDrop(Arc::clone(&caller.state().cancelled));
            Ok(endless(counted))
        })
        .stream("Double", |_: Judge, numbers: UploadStream<i64>| async move {
            Ok(numbers.map(|number| number.map(|number| number * 2)))
        })
        .method("Sum", |_: Judge, numbers: UploadStream<i64>| async move { total(numbers).await })
        .method(
            "SumBoth",
            |_: Judge, left: UploadStream<i64>, factor: i64, right: UploadStream<i64>| async move {
                let (left, right) = tokio::join!(total(left), total(right));
                Ok((left? + right?) * factor)
            },
        )
}

async fn total(mut numbers: UploadStream<i64>) -> Result<i64, HubError> {
    let mut total = 0;
    while let Some(number) = numbers.next().await {
        total += number.map_err(|error| HubError::refused(error.message().to_owned()))?;
    }
    Ok(total)
}

fn endless(counted: CountsDrop) -> impl Stream<Item = Result<u64, HubError>> {
    stream::unfold((0, counted), |(number, counted)| async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Some((Ok(number), (number + 1, counted)))
    })
}

/// Counts that a stream was dropped.
struct CountsDrop(Arc<AtomicUsize>);

impl Drop for CountsDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

async fn wait_for_cancel(caller: Judge, cancellation: Cancellation) -> Result<bool, HubError> {
    cancellation.cancelled().await;
    caller.state().cancelled.fetch_add(1, Ordering::SeqCst);
    Ok(true)
}

/// The bearer token as the name of the user, from the header or from the query.
fn bearer(request: &Parts) -> Option<String> {
    let header = request.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let from_header = header.and_then(|value| value.strip_prefix("Bearer "));
    let query = request.uri.query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let from_query = pairs.find(|(name, _)| *name == "access_token").map(|(_, value)| value);
    from_header.or(from_query).map(str::to_owned)
}

/// Carries bytes to the server until the next cut.
async fn forward(listener: TcpListener, server: SocketAddr, cuts: watch::Receiver<u64>) {
    while let Ok((mut client, _)) = listener.accept().await {
        let mut cuts = cuts.clone();
        cuts.mark_unchanged();
        tokio::spawn(async move {
            let Ok(mut upstream) = TcpStream::connect(server).await else { return };
            tokio::select! {
                _ = copy_bidirectional(&mut client, &mut upstream) => {}
                _ = cuts.changed() => {}
            }
        });
    }
}
