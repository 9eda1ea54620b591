//! Tenants: each sees its own, and nothing else.

use event_store::{
    AppendRequest, DomainEventId, EventDraft, EventQuery, EventRead, ProjectionState, SaveMode,
};
use service::timestamp::UtcTimestamp;

use crate::world::{World, draft, tag};

fn now(world: &World) -> UtcTimestamp {
    UtcTimestamp::now(&world.storage.environment)
}

pub(crate) async fn dc_a3_tenants_see_only_their_own(world: &World) {
    let mut ids = Vec::new();
    for service in ["alpha", "beta"] {
        let scope = world.scope(service);
        let event = draft(&format!("From-{service}"), &["Student:1", &format!("Only:{service}")]);
        let receipt = scope.events.append(AppendRequest::new(vec![event])).await.unwrap();
        ids.push(receipt.events[0].clone());
        let payload = service.as_bytes().to_vec();
        let state = ProjectionState::new("Students", "1", payload, now(world));
        scope.states.save(&state, SaveMode::Replace).await.unwrap();
    }
    for (service, own, other) in [("alpha", 0, 1), ("beta", 1, 0)] {
        let scope = world.scope(service);
        let store = &scope.events;
        let own_ids = [ids[own].id];
        let by_type = EventRead {
            query: EventQuery::item(&["From-alpha", "From-beta"], Vec::new()),
            ..EventRead::default()
        };
        let reads = [
            store.read_all(None, None).await.unwrap(),
            store.read_by_tag(&tag("Student:1"), None).await.unwrap(),
            store.read(&by_type).await.unwrap().events,
            world.first_of_feed(store).await,
        ];
        for events in reads {
            assert_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), own_ids);
        }
        assert!(store.read_event(ids[own].id).await.unwrap().is_some());
        assert_eq!(store.read_event(ids[other].id).await.unwrap(), None);
        let latest = store.latest_tag(&tag("Student:1")).await.unwrap().unwrap();
        assert_eq!(latest.event_id, ids[own].id);
        assert_eq!(store.read_tags(&tag("Student:1")).await.unwrap().len(), 1);
        let tags = store.all_tags(None).await.unwrap();
        let names: Vec<_> = tags.iter().map(|one| (one.tag.to_string(), one.event_count)).collect();
        assert_eq!(names, [(format!("Only:{service}"), 1), ("Student:1".to_owned(), 1)]);
        assert_eq!(store.event_count(None).await.unwrap(), 1);
        let last = store.latest_sortable_unique_id().await.unwrap();
        assert_eq!(last, Some(ids[own].sortable_unique_id.clone()));
        let states = scope.states.list().await.unwrap();
        assert_eq!(states.len(), 1);
        let state = scope.states.latest_any_version("Students").await.unwrap().unwrap();
        assert_eq!(state.payload, service.as_bytes());
        let state = scope.states.latest_for_version("Students", "1").await.unwrap().unwrap();
        assert_eq!(state.payload, service.as_bytes());
    }
    let nobody = world.scope("nobody");
    assert!(nobody.events.read_all(None, None).await.unwrap().is_empty());
    assert_eq!(nobody.states.delete_all().await.unwrap(), 0);
    assert_eq!(world.scope("alpha").states.list().await.unwrap().len(), 1);
}

pub(crate) async fn dc_a3_conditions_and_keys_are_of_one_tenant(world: &World) {
    let id = DomainEventId::of_key("the same id", 0);
    for service in ["alpha", "beta"] {
        let store = world.events(service);
        // The same id, the same key and an empty tag, for both.
        let chosen = EventDraft { id: Some(id), ..draft("Chosen", &["Student:1"]) };
        let request = AppendRequest::new(vec![chosen]).expecting([(tag("Student:1"), None)]);
        store.append(request).await.unwrap();
        let request = AppendRequest::new(vec![draft("Keyed", &[])]).once("key");
        assert!(!store.append(request).await.unwrap().is_repeat);
        let unique = EventQuery::item(&["Unique"], vec![tag("Name:ann")]);
        let request = AppendRequest::new(vec![draft("Unique", &["Name:ann"])]);
        store.append(request.unless_matching(unique, None)).await.unwrap();
        assert_eq!(store.event_count(None).await.unwrap(), 3);
    }
}

pub(crate) async fn tenants_are_listed_and_dropped_apart(world: &World) {
    for service in ["alpha", "beta", "default"] {
        let scope = world.scope(service);
        let drafts = vec![draft("One", &["A:1", "B:1"]), draft("Two", &["A:1"])];
        scope.events.append(AppendRequest::new(drafts)).await.unwrap();
        let state = ProjectionState::new("Students", "1", b"{}".to_vec(), now(world));
        scope.states.save(&state, SaveMode::Replace).await.unwrap();
    }
    let admin = &world.storage.admin;
    let names = async || {
        let services = admin.services().await.unwrap();
        services.into_iter().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["alpha", "beta", "default"]);
    let alpha = world.events("alpha").service_id().unwrap();
    assert_eq!(admin.drop_service(&alpha).await.unwrap(), 2 + 3 + 1);
    assert_eq!(names().await, ["beta", "default"]);
    assert_eq!(world.events("alpha").event_count(None).await.unwrap(), 0);
    assert!(world.events("alpha").all_tags(None).await.unwrap().is_empty());
    assert_eq!(world.events("beta").event_count(None).await.unwrap(), 2);
    assert_eq!(world.events("beta").all_tags(None).await.unwrap().len(), 2);
    assert_eq!(world.states("beta").list().await.unwrap().len(), 1);
    let report = admin.repair(false).await.unwrap();
    assert_eq!((report.rolled_forward, report.cleared, report.rows_restored), (0, 0, 0));
    // A dropped tenant may come back.
    let again = AppendRequest::new(vec![draft("New", &["A:1"])]).expecting([(tag("A:1"), None)]);
    world.events("alpha").append(again).await.unwrap();
}

pub(crate) async fn dc_a2_a_program_without_tenants_is_the_default_one(world: &World) {
    let stores = world.storage.single_tenant();
    let receipt =
        stores.events.append(AppendRequest::new(vec![draft("Plain", &["A:1"])])).await.unwrap();
    let state = ProjectionState::new("Students", "1", b"{}".to_vec(), now(world));
    stores.states.save(&state, SaveMode::Replace).await.unwrap();
    let named = world.events("default").read_all(None, None).await.unwrap();
    assert_eq!(named[0].id, receipt.events[0].id);
    let services = world.storage.admin.services().await.unwrap();
    assert_eq!(services.iter().map(|one| one.as_str()).collect::<Vec<_>>(), ["default"]);
}
