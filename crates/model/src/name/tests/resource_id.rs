//! Tests of resource ids: recorded texts, kinds, parents, round trips.

use proptest::prelude::*;

use crate::{ResourceId, ResourceIdKind};

fn recorded_database() -> ResourceId {
    ResourceId::database(0x007B_900C)
}

fn recorded_container() -> ResourceId {
    ResourceId::container(&recorded_database(), 0x0D65_647A)
}

#[test]
fn recorded_texts_are_made_and_parsed() {
    let container = recorded_container();
    let cases = [
        (recorded_database(), "DJB7AA==", ResourceIdKind::Database),
        (container, "DJB7AI1lZHo=", ResourceIdKind::Container),
        (ResourceId::item(&container, 3), "DJB7AI1lZHoDAAAAAAAAAA==", ResourceIdKind::Item),
        (
            ResourceId::partition_key_range(&container, 2),
            "DJB7AI1lZHoCAAAAAAAAUA==",
            ResourceIdKind::PartitionKeyRange,
        ),
        (
            ResourceId::stored_procedure(&container, 1),
            "DJB7AI1lZHoBAAAAAAAAgA==",
            ResourceIdKind::StoredProcedure,
        ),
        (ResourceId::trigger(&container, 1), "DJB7AI1lZHoBAAAAAAAAcA==", ResourceIdKind::Trigger),
        (ResourceId::offer(0x0065_A8B7), "t6hl", ResourceIdKind::Offer),
    ];
    for (resource_id, text, kind) in cases {
        assert_eq!(resource_id.to_string(), text);
        assert_eq!(ResourceId::parse(text).unwrap(), resource_id);
        assert_eq!(resource_id.kind(), kind);
    }
}

#[test]
fn a_child_knows_its_parents() {
    let (database, container) = (recorded_database(), recorded_container());
    let item = ResourceId::item(&container, 7);
    assert_eq!(item.database_id(), Some(database));
    assert_eq!(item.container_id(), Some(container));
    assert_eq!(item.ordinal(), Some(7));
    assert_eq!(container.container_id(), Some(container));
    assert_eq!(container.ordinal(), None);
    assert_eq!(database.container_id(), None);
    let user = ResourceId::user(&database, 0x8000_0001);
    assert_eq!(user.kind(), ResourceIdKind::User);
    assert_eq!(user.container_id(), None);
    let permission = ResourceId::permission(&user, u64::MAX);
    assert_eq!(permission.kind(), ResourceIdKind::Permission);
    assert_eq!(permission.ordinal(), Some(u64::MAX));
    assert_eq!(permission.container_id(), None);
    assert_eq!(ResourceId::offer(1).database_id(), None);
}

#[test]
fn a_child_of_the_wrong_kind_of_parent_is_still_whole() {
    for parent in
        [recorded_database(), ResourceId::offer(1), ResourceId::user(&recorded_database(), 1)]
    {
        let child = ResourceId::item(&parent, 1);
        assert_eq!(
            ResourceId::parse(&child.to_string()).unwrap().kind(),
            ResourceIdKind::Permission
        );
    }
}

#[test]
fn a_slash_is_written_as_a_dash() {
    let database = ResourceId::database(0xFFFF_FFFF);
    assert_eq!(database.to_string(), "-----w==");
    assert_eq!(ResourceId::parse("-----w==").unwrap(), database);
}

#[test]
fn what_is_not_a_resource_id_is_refused() {
    let texts = [
        "",
        "d",
        "DJB7AA",
        "DJB7AA=",
        "DJB7AI1lZHo",
        "/////w==",
        "DJB7AB==",
        "DJB7AI1lZHoBAAAAAAAAkA==",
        "DJB7AI1lZHoBAAAA",
        "not base64!",
    ];
    for text in texts {
        let error = ResourceId::parse(text).unwrap_err();
        assert!(error.message().starts_with(&format!("'{text}' is not a resource id")), "{error}");
    }
}

proptest! {
    #[test]
    fn every_resource_id_survives_its_text(database: u32, number: u32, ordinal: u64) {
        let database = ResourceId::database(database);
        let container = ResourceId::container(&database, number);
        let user = ResourceId::user(&database, number);
        let all = [
            database,
            container,
            user,
            ResourceId::permission(&user, ordinal),
            ResourceId::item(&container, ordinal),
            ResourceId::conflict(&container, ordinal),
            ResourceId::partition_key_range(&container, ordinal),
            ResourceId::user_defined_function(&container, ordinal),
            ResourceId::trigger(&container, ordinal),
            ResourceId::stored_procedure(&container, ordinal),
            ResourceId::offer(number),
        ];
        for resource_id in all {
            let parsed = ResourceId::parse(&resource_id.to_string()).unwrap();
            prop_assert_eq!(parsed, resource_id);
            prop_assert_eq!(parsed.kind(), resource_id.kind());
            prop_assert_eq!(ResourceId::from_bytes(resource_id.as_bytes()), Some(resource_id));
        }
    }
}
