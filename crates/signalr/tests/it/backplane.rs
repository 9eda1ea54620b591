//! Two instances of a hub that talk through a backplane in memory.

use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use planisphere_signalr::{
    Backplane, BackplaneEvent, BackplaneTopic, Caller, ConnectionId, Hub, HubError, HubErrorKind,
    HubOptions, LocalHub,
};

use crate::client::{Client, builder, settle};

/// Delivers every event on every instance, as bytes.
#[derive(Default)]
struct Wire {
    instances: Mutex<Vec<LocalHub>>,
}

struct Instance {
    wire: Arc<Wire>,
    topics: Arc<Mutex<Vec<String>>>,
}

impl Backplane for Instance {
    fn attach(&self, local: LocalHub) {
        self.wire.instances.lock().unwrap().push(local);
    }

    fn publish(&self, event: BackplaneEvent) -> BoxFuture<'_, Result<(), HubError>> {
        let bytes = event.encode();
        let instances = self.wire.instances.lock().unwrap().clone();
        Box::pin(async move {
            for instance in instances {
                instance.deliver(BackplaneEvent::decode(&bytes)?).await;
            }
            Ok(())
        })
    }

    fn subscribe(&self, topic: BackplaneTopic) -> BoxFuture<'_, Result<(), HubError>> {
        self.topics.lock().unwrap().push(format!("+{topic:?}"));
        Box::pin(std::future::ready(Ok(())))
    }

    fn unsubscribe(&self, topic: BackplaneTopic) -> BoxFuture<'_, Result<(), HubError>> {
        self.topics.lock().unwrap().push(format!("-{topic:?}"));
        Box::pin(std::future::ready(Ok(())))
    }
}

fn instance(wire: &Arc<Wire>, topics: &Arc<Mutex<Vec<String>>>, name: &'static str) -> Hub<()> {
    let backplane = Instance { wire: Arc::clone(wire), topics: Arc::clone(topics) };
    let first = std::sync::atomic::AtomicU8::new(0);
    builder((), HubOptions::default())
        .backplane(Arc::new(backplane))
        .random(Arc::new(move |bytes: &mut [u8]| {
            bytes.fill(name.as_bytes()[0]);
            bytes[15] = first.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }))
        .user_id(|request| request.headers.get("x-user")?.to_str().ok().map(str::to_owned))
        .method("Id", |caller: Caller| async move { Ok(caller.connection_id().to_string()) })
        .build()
}

async fn id_of(client: &mut Client) -> ConnectionId {
    client.send(r#"{"type":1,"invocationId":"id","target":"Id","arguments":[]}"#).await;
    let answer = client.next_message().await.unwrap();
    ConnectionId::from(answer.split("\"result\":\"").nth(1).unwrap().trim_end_matches("\"}"))
}

async fn hears(client: &mut Client, text: &str) {
    let expected = format!("{{\"type\":1,\"target\":\"m\",\"arguments\":[\"{text}\"]}}");
    assert_eq!(client.next_message().await, Some(expected));
}

#[tokio::test(start_paused = true)]
async fn messages_groups_and_answers_cross_instances() {
    let (wire, topics) = (Arc::default(), Arc::default());
    let (near, far) = (instance(&wire, &topics, "n"), instance(&wire, &topics, "f"));
    let mut client = Client::connect_as(&far.routes("/hub"), Some("alice")).await;
    let id = id_of(&mut client).await;
    let context = near.context();
    context.all().send("m", ("all",)).await.unwrap();
    context.user("alice").send("m", ("user",)).await.unwrap();
    context.connection(id.clone()).send("m", ("connection",)).await.unwrap();
    context.group("g").send("m", ("nobody",)).await.unwrap();
    context.add_to_group(&id, "g").await.unwrap();
    context.group("g").send("m", ("group",)).await.unwrap();
    context.remove_from_group(&id, "g").await.unwrap();
    context.group("g").send("m", ("nobody again",)).await.unwrap();
    for text in ["all", "user", "connection", "group"] {
        hears(&mut client, text).await;
    }
    let asked = tokio::spawn({
        let (context, id) = (context.clone(), id.clone());
        async move { context.invoke::<u32>(&id, "ask", ()).await }
    });
    let question: serde_json::Value =
        serde_json::from_str(&client.next_message().await.unwrap()).unwrap();
    let invocation = &question["invocationId"];
    client.send(&format!("{{\"type\":3,\"invocationId\":{invocation},\"result\":9}}")).await;
    assert_eq!(asked.await.unwrap().unwrap(), 9);
    let asked = tokio::spawn(async move { context.invoke::<u32>(&id, "ask", ()).await });
    settle().await;
    client.cut();
    assert_eq!(asked.await.unwrap().unwrap_err().kind(), HubErrorKind::NotConnected);
    let topics = topics.lock().unwrap().join(" ");
    let order =
        ["+Connection", "+User(\"alice\")", "+Group(\"g\")", "-Group(\"g\")", "-Connection"];
    let mut from = 0;
    for part in order {
        from += topics[from..].find(part).unwrap_or_else(|| panic!("{part} in {topics}"));
    }
}
