//! DC-A15: two tenants whose events, tags, keys and states have the same ids and names. Each statement of a provider
//! that forgets the tenant shows up here; `mutants` takes the tenant out of one after the other.

use event_store::{
    AppendRequest, DomainEvent, DomainEventId, ErrorKind, EventDraft, EventQuery, EventRead,
    EventStore, ProjectionState, ReadPosition, SaveMode, SortableUniqueId,
};
use serde_json::json;
use service::timestamp::UtcTimestamp;

use crate::world::{World, draft, tag};

const TENANTS: [&str; 2] = ["alpha", "beta"];

fn shared_id() -> DomainEventId {
    DomainEventId::of_key("the same in both", 0)
}

/// The event with the shared id, of a type that only its tenant has.
fn shared(service: &str) -> EventDraft {
    EventDraft { id: Some(shared_id()), ..draft(&format!("Of-{service}"), &["Shared:1"]) }
}

async fn append(store: &EventStore, draft: EventDraft) -> SortableUniqueId {
    let receipt = store.append(AppendRequest::new(vec![draft])).await.unwrap();
    receipt.events[0].sortable_unique_id.clone()
}

/// On an account, an event as another program writes it, of a third tenant: it belongs to no append.
async fn write_plain(world: &World) {
    let Some(account) = &world.account else { return };
    let events = account.database("SekibanDcb").unwrap().container("events").unwrap();
    let id = DomainEventId::of_key("plain", 0).to_string();
    let pk = format!("plain|{id}");
    let event = json!({
        "id": id, "pk": pk, "serviceId": "plain", "sortableUniqueId": SortableUniqueId::max(),
        "eventType": "Plain", "payload": "{}", "tags": [], "timestamp": "2026-01-05T10:00:00.000Z",
    });
    events.create(&pk.as_str().into(), &event).await.unwrap();
    assert_eq!(world.events("plain").event_count(None).await.unwrap(), 1);
}

async fn fill(world: &World) {
    write_plain(world).await;
    for service in TENANTS {
        let scope = world.scope(service);
        append(&scope.events, shared(service)).await;
        let now = UtcTimestamp::now(&world.storage.environment);
        for version in ["1", "2"] {
            let payload = format!("{service} {version}").into_bytes();
            let state = ProjectionState::new("Students", version, payload, now);
            scope.states.save(&state, SaveMode::Replace).await.unwrap();
        }
    }
}

pub(crate) async fn dc_a15_reads_never_leave_the_tenant(world: &World) {
    fill(world).await;
    let first = SortableUniqueId::min();
    for service in TENANTS {
        let scope = world.scope(service);
        let store = &scope.events;
        let own = format!("Of-{service}");
        let by_type = EventQuery::item(&["Of-alpha", "Of-beta"], Vec::new());
        let by_type = EventRead { query: by_type, ..EventRead::default() };
        let by_type_and_tag = EventQuery::item(&["Of-alpha", "Of-beta"], vec![tag("Shared:1")]);
        let by_type_and_tag = EventRead { query: by_type_and_tag, ..EventRead::default() };
        let reads: [Vec<DomainEvent>; 6] = [
            store.read_all(None, None).await.unwrap(),
            store.read_by_tag(&tag("Shared:1"), None).await.unwrap(),
            store.read(&by_type).await.unwrap().events,
            store.read(&by_type_and_tag).await.unwrap().events,
            store.read_event(shared_id()).await.unwrap().into_iter().collect(),
            world.first_of_feed(store).await,
        ];
        for events in reads {
            let types: Vec<_> = events.iter().map(|event| event.event_type.as_str()).collect();
            assert_eq!(types, [own.as_str()]);
        }
        let rows = store.read_tags(&tag("Shared:1")).await.unwrap();
        let latest = store.latest_tag(&tag("Shared:1")).await.unwrap().unwrap();
        assert_eq!((rows.len(), &rows[0].event_type, &latest.event_type), (1, &own, &own));
        let tags = store.all_tags(None).await.unwrap();
        assert_eq!((tags.len(), tags[0].event_count), (1, 1));
        assert_eq!(store.event_count(None).await.unwrap(), 1);
        assert_eq!(store.event_count(Some(&first)).await.unwrap(), 1);
        let last = store.latest_sortable_unique_id().await.unwrap();
        assert_eq!(last, Some(latest.sortable_unique_id));
        assert_eq!(scope.states.list().await.unwrap().len(), 2);
        let state = scope.states.latest_any_version("Students").await.unwrap().unwrap();
        assert!(state.payload.starts_with(service.as_bytes()));
        let state = scope.states.latest_for_version("Students", "1").await.unwrap().unwrap();
        assert_eq!(state.payload, format!("{service} 1").as_bytes());
    }
    assert_eq!(world.storage.admin.foreign_items(), 0);
}

pub(crate) async fn dc_a15_conditions_never_leave_the_tenant(world: &World) {
    fill(world).await;
    let alpha = world.events("alpha");
    let own = alpha.latest_tag(&tag("Shared:1")).await.unwrap().unwrap().sortable_unique_id;
    // The version of the tag is that of this tenant, though the other one has a later one.
    let request = AppendRequest::new(vec![draft("Next", &["Shared:1"])]);
    alpha.append(request.expecting([(tag("Shared:1"), Some(own))])).await.unwrap();
    // What was read is seen, and what the other tenant has is not.
    for kind in ["Of-alpha", "Of-beta"] {
        let query = EventQuery::item(&[kind], vec![tag("Shared:1")]);
        let read = EventRead { query: query.clone(), ..EventRead::default() };
        let seen = alpha.read(&read).await.unwrap().position;
        append(&world.events("beta"), draft(kind, &["Shared:1"])).await;
        let request = AppendRequest::new(vec![draft("Decided", &["Shared:1"])]);
        alpha.append(request.unless_matching(query, Some(seen))).await.unwrap();
    }
    // Without tags: by the snapshot of a read of everything, and by a position.
    let query = EventQuery::item(&["Unheard"], Vec::new());
    let seen = alpha.read(&EventRead::default()).await.unwrap().position;
    let last = alpha.latest_sortable_unique_id().await.unwrap().unwrap();
    append(&world.events("beta"), draft("Unheard", &[])).await;
    for position in [seen, ReadPosition::after(last)] {
        let request = AppendRequest::new(vec![draft("Decided", &[])]);
        let request = request.unless_matching(query.clone(), Some(position));
        match alpha.append(request).await {
            Ok(_) => {}
            // An account can only reserve tags.
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
                assert!(world.account.is_some(), "{error}");
            }
        }
    }
    assert_eq!(world.storage.admin.foreign_items(), 0);
}

pub(crate) async fn dc_a15_changes_never_leave_the_tenant(world: &World) {
    fill(world).await;
    // The same id with other content exists in this tenant, and only there.
    let again = AppendRequest::new(vec![shared("alpha")]);
    let refused = world.events("alpha").append(again).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    let gamma = AppendRequest::new(vec![shared("gamma")]);
    world.events("gamma").append(gamma).await.unwrap();
    let report = world.storage.admin.repair(false).await.unwrap();
    assert_eq!(report.tags_checked, 3, "one tag of each tenant");
    assert!(world.states("alpha").delete("Students", "1").await.unwrap());
    assert_eq!(world.states("beta").list().await.unwrap().len(), 2);
    let alpha = world.events("alpha").service_id().unwrap();
    // An event, its row and a state.
    assert_eq!(world.storage.admin.drop_service(&alpha).await.unwrap(), 3);
    for service in ["beta", "gamma"] {
        let store = world.events(service);
        assert_eq!(store.event_count(None).await.unwrap(), 1, "{service}");
        assert_eq!(store.read_tags(&tag("Shared:1")).await.unwrap().len(), 1, "{service}");
    }
    assert_eq!(world.states("beta").list().await.unwrap().len(), 2);
    assert_eq!(world.storage.admin.foreign_items(), 0);
}
