//! Bad input: its own error each, and nothing stored.

use std::sync::Arc;

use event_store::{
    AppendRequest, DomainEventId, ErrorKind, EventDraft, EventQuery, EventStore, EventTag,
    ReadPosition, RequiredServiceIdProvider,
};
use serde_json::json;

use crate::world::{World, draft, tag};

pub(crate) async fn dc_a1_and_other_bad_input_has_its_own_error_and_stores_nothing(world: &World) {
    let factories = world.storage.factories();
    let long = "a".repeat(65);
    for wrong in ["", " bad", "bad|x", "bad/x", "bad_x", &long, "\u{fb00}", "a\nb"] {
        let error = factories.events.create_for_service(wrong).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ServiceId, "{wrong:?}");
        assert!(factories.states.create_for_service(wrong).is_err(), "{wrong:?}");
    }
    let store = world.events("alpha");
    let large = EventDraft { payload: json!("x".repeat(2_000_000)), ..draft("Large", &["A:1"]) };
    let same = DomainEventId::of_key("same", 0);
    let same = || EventDraft { id: Some(same), ..draft("Same", &[]) };
    let many_tags: Vec<_> = (0..51).map(|number| tag(&format!("A:{number}"))).collect();
    let wrong: Vec<(AppendRequest, ErrorKind)> = vec![
        (AppendRequest::new(Vec::new()), ErrorKind::Invalid),
        (AppendRequest::new(vec![large]), ErrorKind::TooLarge),
        (AppendRequest::new(vec![draft("Many", &[]); 100]), ErrorKind::TooLarge),
        (AppendRequest::new(vec![draft("", &[])]), ErrorKind::Invalid),
        (AppendRequest::new(vec![draft("two words", &[])]), ErrorKind::Invalid),
        (AppendRequest::new(vec![draft(&"x".repeat(201), &[])]), ErrorKind::Invalid),
        (AppendRequest::new(vec![draft("Twice", &["A:1", "A:1"])]), ErrorKind::Invalid),
        (AppendRequest::new(vec![same(), same()]), ErrorKind::Invalid),
        (AppendRequest::new(vec![draft("Key", &[])]).once(""), ErrorKind::Invalid),
        (AppendRequest::new(vec![draft("Key", &[])]).once("k".repeat(201)), ErrorKind::Invalid),
        (
            AppendRequest::new(vec![EventDraft { event_version: 0, ..draft("Zero", &[]) }]),
            ErrorKind::Invalid,
        ),
        (
            AppendRequest::new(vec![EventDraft::new("Tags", json!({}), many_tags)]),
            ErrorKind::Invalid,
        ),
        (
            AppendRequest::new(vec![draft("Query", &[])])
                .unless_matching(EventQuery::item(&[], Vec::new()), None),
            ErrorKind::Invalid,
        ),
    ];
    for (request, kind) in wrong {
        let shown = request.events.first().map(|event| event.event_type.clone());
        assert_eq!(store.append(request).await.unwrap_err().kind(), kind, "{shown:?}");
    }
    for wrong in ["Student", "a:b:c", "a b:c", ""] {
        assert_eq!(EventTag::parse(wrong).unwrap_err().kind(), ErrorKind::InvalidTag);
    }
    for wrong in ["", "x", "12"] {
        assert_eq!(ReadPosition::parse(wrong).unwrap_err().kind(), ErrorKind::Invalid);
    }
    let nobody = EventStore::new(&world.storage, Arc::new(RequiredServiceIdProvider));
    let request = AppendRequest::new(vec![draft("Nobody", &[])]);
    assert_eq!(nobody.append(request).await.unwrap_err().kind(), ErrorKind::ServiceId);
    assert_eq!(nobody.read_all(None, None).await.unwrap_err().kind(), ErrorKind::ServiceId);
    assert_eq!(store.event_count(None).await.unwrap(), 0);
    assert!(store.all_tags(None).await.unwrap().is_empty());
    assert!(world.storage.admin.services().await.unwrap().is_empty());
    // The largest that is taken.
    let large = EventDraft { payload: json!("x".repeat(1_400_000)), ..draft("Large", &["A:1"]) };
    store.append(AppendRequest::new(vec![large.clone()])).await.unwrap();
    let read = store.read_by_tag(&tag("A:1"), None).await.unwrap();
    assert_eq!(read[0].payload, large.payload);
}
