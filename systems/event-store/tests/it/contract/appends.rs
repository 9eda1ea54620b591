//! Appending and reading.

use event_store::{
    AppendRequest, DomainEventId, ErrorKind, EventDraft, EventQuery, EventRead, SortableUniqueId,
};
use serde_json::json;

use crate::world::{World, draft, tag};

pub(crate) async fn events_are_read_in_the_order_of_their_appends(world: &World) {
    let store = world.events("alpha");
    let mut positions = Vec::new();
    for number in 0..7 {
        let draft = EventDraft {
            payload: json!({ "number": number, "text": "a \"quoted\" \u{1f600} text" }),
            causation_id: Some("cause".to_owned()),
            correlation_id: Some("whole".to_owned()),
            executed_user: Some("ann".to_owned()),
            event_version: 3,
            ..draft("Counted", &["Counter:1"])
        };
        let receipt = store.append(AppendRequest::new(vec![draft])).await.unwrap();
        positions.push(receipt.events[0].sortable_unique_id.clone());
        assert_eq!(receipt.tag_writes[0].sortable_unique_id, positions[number]);
    }
    assert!(positions.is_sorted());
    let all = store.read_all(None, None).await.unwrap();
    let read: Vec<_> = all.iter().map(|event| event.sortable_unique_id.clone()).collect();
    assert_eq!(read, positions);
    assert_eq!(all[3].payload, json!({ "number": 3, "text": "a \"quoted\" \u{1f600} text" }));
    assert_eq!(all[3].executed_user.as_deref(), Some("ann"));
    assert_eq!((all[3].event_version, all[3].correlation_id.as_deref()), (3, Some("whole")));
    assert_eq!(store.read_by_tag(&tag("Counter:1"), None).await.unwrap(), all);
    assert_eq!(store.read_event(all[2].id).await.unwrap().as_ref(), Some(&all[2]));
    let later = store.read_all(Some(positions[4].clone()), None).await.unwrap();
    assert_eq!(later, all[5..]);
    let later = store.read_by_tag(&tag("Counter:1"), Some(positions[4].clone())).await.unwrap();
    assert_eq!(later, all[5..]);
}

pub(crate) async fn a_page_ends_where_the_next_begins(world: &World) {
    let store = world.events("alpha");
    for number in 0..11 {
        let name = if number % 2 == 0 { "Even" } else { "Odd" };
        store.append(AppendRequest::new(vec![draft(name, &["Number:1"])])).await.unwrap();
    }
    let queries = [
        (EventQuery::all(), 11),
        (EventQuery::tag(tag("Number:1")), 11),
        (EventQuery::item(&["Odd"], vec![tag("Number:1")]), 5),
        (EventQuery::item(&["Even"], Vec::new()), 6),
        (EventQuery::tag(tag("Number:2")), 0),
    ];
    for (query, expected) in queries {
        let mut read = EventRead { query: query.clone(), after: None, events_max: Some(3) };
        let mut found = Vec::new();
        loop {
            let page = store.read(&read).await.unwrap();
            assert!(page.events.len() <= 3);
            read.after = page.events.last().map(|event| event.sortable_unique_id.clone());
            found.extend(page.events);
            if !page.has_more {
                break;
            }
        }
        let whole = store.read(&EventRead { query, ..EventRead::default() }).await.unwrap();
        assert_eq!((found.len(), &found), (expected, &whole.events));
    }
}

pub(crate) async fn tags_have_versions_counts_and_rows(world: &World) {
    let store = world.events("alpha");
    assert!(!store.tag_exists(&tag("Student:1")).await.unwrap());
    assert_eq!(store.latest_sortable_unique_id().await.unwrap(), None);
    let first = draft("StudentCreated", &["Student:1"]);
    let both = draft("Enrolled", &["Student:1", "Class:9"]);
    store.append(AppendRequest::new(vec![first])).await.unwrap();
    let last = store.append(AppendRequest::new(vec![both])).await.unwrap();
    let last = last.events[0].clone();
    let rows = store.read_tags(&tag("Student:1")).await.unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[1].event_id, rows[1].event_type.as_str()), (last.id, "Enrolled"));
    assert_eq!(store.latest_tag(&tag("Student:1")).await.unwrap().as_ref(), rows.last());
    assert!(store.tag_exists(&tag("Class:9")).await.unwrap());
    let tags = store.all_tags(None).await.unwrap();
    let counts: Vec<_> = tags.iter().map(|one| (one.tag.as_str(), one.event_count)).collect();
    assert_eq!(counts, [("Class:9", 1), ("Student:1", 2)]);
    assert_eq!(tags[1].last_sortable_unique_id, last.sortable_unique_id);
    assert_eq!(tags[1].first_sortable_unique_id, rows[0].sortable_unique_id);
    assert_eq!(store.all_tags(Some("Class")).await.unwrap().len(), 1);
    assert_eq!(store.event_count(None).await.unwrap(), 2);
    assert_eq!(store.event_count(Some(&rows[0].sortable_unique_id)).await.unwrap(), 1);
    let latest = store.latest_sortable_unique_id().await.unwrap();
    assert_eq!(latest, Some(last.sortable_unique_id));
}

pub(crate) async fn an_append_with_several_events_is_whole(world: &World) {
    let store = world.events("alpha");
    let drafts: Vec<_> =
        (0..20).map(|number| draft("Part", &["Whole:1", &format!("Part:{number}")])).collect();
    let receipt = store.append(AppendRequest::new(drafts)).await.unwrap();
    let positions: Vec<SortableUniqueId> =
        receipt.events.iter().map(|event| event.sortable_unique_id.clone()).collect();
    assert!(positions.is_sorted());
    assert_eq!(receipt.tag_writes.len(), 21);
    let all = store.read_all(None, None).await.unwrap();
    assert_eq!(all.len(), 20);
    assert_eq!(store.read_by_tag(&tag("Whole:1"), None).await.unwrap(), all);
    let one = store.read_by_tag(&tag("Part:7"), None).await.unwrap();
    assert_eq!(one, all[7..8]);
    assert_eq!(store.event_count(None).await.unwrap(), 20);
    // Without tags, too.
    let plain = vec![draft("Plain", &[]), draft("Plain", &[])];
    store.append(AppendRequest::new(plain)).await.unwrap();
    assert_eq!(store.read_all(None, None).await.unwrap().len(), 22);
}

pub(crate) async fn a_repeat_under_one_key_gets_the_first_receipt(world: &World) {
    let store = world.events("alpha");
    for tags in [&["Order:1"][..], &[]] {
        let key = format!("key of {tags:?}");
        let drafts = || vec![draft("Ordered", tags), draft("Paid", tags)];
        let first = store.append(AppendRequest::new(drafts()).once(&key)).await.unwrap();
        let again = store.append(AppendRequest::new(drafts()).once(&key)).await.unwrap();
        assert!(!first.is_repeat && again.is_repeat);
        assert_eq!(first.events, again.events);
        assert_eq!(first.tag_writes, again.tag_writes);
        let other = vec![draft("Ordered", tags), draft("Cancelled", tags)];
        let error = store.append(AppendRequest::new(other).once(&key)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let shorter = vec![draft("Ordered", tags)];
        let shorter = store.append(AppendRequest::new(shorter).once(&key)).await.unwrap();
        assert!(shorter.is_repeat, "its only event is there");
    }
    assert_eq!(store.event_count(None).await.unwrap(), 4);
    assert_eq!(store.read_by_tag(&tag("Order:1"), None).await.unwrap().len(), 2);
}

pub(crate) async fn an_id_that_exists_is_refused(world: &World) {
    let store = world.events("alpha");
    let id = DomainEventId::of_key("chosen", 0);
    let chosen = || EventDraft { id: Some(id), ..draft("Chosen", &["Choice:1"]) };
    let receipt = store.append(AppendRequest::new(vec![chosen()])).await.unwrap();
    assert_eq!(receipt.events[0].id, id);
    for drafts in [vec![chosen()], vec![draft("Other", &["Choice:1"]), chosen()]] {
        let error = store.append(AppendRequest::new(drafts)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    }
    assert_eq!(store.event_count(None).await.unwrap(), 1);
    assert_eq!(store.read_tags(&tag("Choice:1")).await.unwrap().len(), 1);
}
