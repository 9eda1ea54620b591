//! Projections: the safe window, snapshots, rebuilding, waiting, upcasters.

use std::collections::BTreeMap;
use std::time::Duration;

use event_store::{
    AppendRequest, DomainEvent, EventDraft, EventProjector, ProjectionHost, ProjectionSettings,
    ProjectorSet, SaveMode, ServiceId, TagStateReader, Upcasters,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::world::{World, draft, tag};

/// Lists the types of all events, in order.
struct Types(&'static str);

#[derive(Clone, Default, Serialize, Deserialize)]
struct TypeList(Vec<String>);

impl EventProjector for Types {
    type State = TypeList;

    fn name(&self) -> &'static str {
        "Types"
    }

    fn version(&self) -> &'static str {
        self.0
    }

    fn apply(&self, state: &mut TypeList, event: &DomainEvent) -> event_store::Result<()> {
        let name = event.payload.get("name").and_then(Value::as_str);
        state.0.push(name.unwrap_or(&event.event_type).to_owned());
        Ok(())
    }

    fn query(
        &self,
        state: &TypeList,
        query: &str,
        parameters: &BTreeMap<String, String>,
    ) -> event_store::Result<Option<Value>> {
        match (query, parameters.get("type")) {
            ("count", Some(name)) => {
                Ok(Some(json!(state.0.iter().filter(|one| *one == name).count())))
            }
            _ => Ok(None),
        }
    }
}

pub(crate) fn host(world: &World, version: &'static str) -> ProjectionHost {
    let settings = ProjectionSettings {
        batch_events: 4,
        snapshot_events: 5,
        poll: Duration::from_millis(5),
        ..ProjectionSettings::default()
    };
    let upcasters = Upcasters::default()
        .with("Named", 1, |payload| Ok(json!({ "first": payload["full"] })))
        .with("Named", 2, |payload| match payload["first"].as_str() {
            Some(first) => Ok(json!({ "name": first.to_uppercase() })),
            None => Err("it has no first name".to_owned()),
        });
    let projectors = ProjectorSet::default().with(Types(version));
    ProjectionHost::new(world.storage.clone(), projectors, upcasters, settings)
}

pub(crate) fn alpha() -> ServiceId {
    ServiceId::parse("alpha").unwrap()
}

pub(crate) async fn append(world: &World, event: EventDraft) -> event_store::SortableUniqueId {
    let receipt = world.events("alpha").append(AppendRequest::new(vec![event])).await.unwrap();
    receipt.events[0].sortable_unique_id.clone()
}

async fn state(host: &ProjectionHost) -> Value {
    host.query(&alpha(), "Types", "state", &BTreeMap::new(), None).await.unwrap()
}

#[tokio::test]
async fn the_latest_state_has_everything_and_the_safe_state_what_is_old() {
    let world = World::memory().await;
    let host = host(&world, "1");
    for number in 0..6 {
        append(&world, draft(&format!("T{number}"), &[])).await;
    }
    assert_eq!(state(&host).await, json!([]), "nothing runs yet");
    host.run_round().await;
    assert_eq!(state(&host).await, json!(["T0", "T1", "T2", "T3", "T4", "T5"]));
    let status = host.status(&alpha(), "Types").await.unwrap();
    assert_eq!((status.events_processed, status.safe_events_processed), (6, 0));
    assert_eq!(status.lag, Some(0));
    world.clock.travel(Duration::from_secs(21));
    let last = append(&world, draft("T6", &[])).await;
    host.run_round().await;
    let status = host.status(&alpha(), "Types").await.unwrap();
    assert_eq!((status.events_processed, status.safe_events_processed), (7, 6));
    assert_eq!(status.last_sortable_unique_id, Some(last));
    // Others have projections of their own.
    let beta = ServiceId::parse("beta").unwrap();
    let other = host.query(&beta, "Types", "state", &BTreeMap::new(), None).await.unwrap();
    assert_eq!(other, json!([]));
}

#[tokio::test]
async fn a_snapshot_of_the_same_version_is_used_and_of_another_one_is_not() {
    let world = World::account().await;
    for number in 0..6 {
        append(&world, draft(&format!("T{number}"), &["A:1"])).await;
    }
    world.clock.travel(Duration::from_secs(60));
    let first = host(&world, "1");
    state(&first).await;
    first.run_round().await;
    let stored = world.states("alpha").latest_for_version("Types", "1").await.unwrap().unwrap();
    assert_eq!(stored.events_processed, 6);
    // A snapshot that says something else shows that it is used.
    let forged = event_store::ProjectionState { payload: b"[\"forged\"]".to_vec(), ..stored };
    world.states("alpha").save(&forged, SaveMode::Replace).await.unwrap();
    let second = host(&world, "1");
    state(&second).await;
    append(&world, draft("T6", &[])).await;
    second.run_round().await;
    assert_eq!(state(&second).await, json!(["forged", "T6"]));
    second.rebuild(&alpha(), "Types").await.unwrap();
    second.run_round().await;
    assert_eq!(state(&second).await, json!(["T0", "T1", "T2", "T3", "T4", "T5", "T6"]));
    let newer = host(&world, "2");
    state(&newer).await;
    newer.run_round().await;
    assert_eq!(state(&newer).await, json!(["T0", "T1", "T2", "T3", "T4", "T5", "T6"]));
    assert_eq!(world.states("alpha").list().await.unwrap().len(), 2);
}

#[tokio::test]
async fn old_versions_of_an_event_are_upcast_one_after_the_other() {
    let world = World::memory().await;
    let host = host(&world, "1");
    let versions = [(1, json!({ "full": "ann" })), (2, json!({ "first": "bob" }))];
    for (event_version, payload) in versions {
        append(&world, EventDraft { event_version, payload, ..draft("Named", &["A:1"]) }).await;
    }
    let newest = json!({ "name": "Carl" });
    append(&world, EventDraft { event_version: 3, payload: newest, ..draft("Named", &[]) }).await;
    state(&host).await;
    host.run_round().await;
    assert_eq!(state(&host).await, json!(["ANN", "BOB", "Carl"]));
    let stored = world.events("alpha").read_all(None, None).await.unwrap();
    assert_eq!(stored[0].payload, json!({ "full": "ann" }), "stored events stay as they are");
    let upcasters =
        Upcasters::default().with("Named", 1, |payload| Ok(json!({ "name": payload["full"] })));
    let reader = TagStateReader::new(ProjectorSet::default().with(Types("1")), upcasters);
    let found = reader.state(&world.scope("alpha"), "Types", &tag("A:1")).await.unwrap().unwrap();
    assert_eq!(found.0, json!(["ann", "Named"]));
    assert_eq!(found.1.as_ref(), Some(&stored[1].sortable_unique_id));
    // A payload that no upcaster takes stops the projection and changes no state.
    append(&world, EventDraft { event_version: 2, payload: json!({}), ..draft("Named", &[]) })
        .await;
    host.run_round().await;
    assert_eq!(state(&host).await, json!(["ANN", "BOB", "Carl"]));
}
