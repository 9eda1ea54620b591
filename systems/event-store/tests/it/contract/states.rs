//! States of projections.

use client::{Environment, Randomness as _};
use event_store::{ErrorKind, ProjectionState, SaveMode, StateData};
use service::timestamp::UtcTimestamp;

use crate::world::World;

fn state(world: &World, version: &str, payload: Vec<u8>) -> ProjectionState {
    let now = UtcTimestamp::now(&world.storage.environment);
    ProjectionState {
        events_processed: 9,
        ..ProjectionState::new("Students", version, payload, now)
    }
}

pub(crate) async fn dc_a14_versions_and_tenants_have_states_of_their_own(world: &World) {
    let services = ["alpha", "beta"];
    for service in services {
        for version in ["v1", "v2"] {
            world.clock.travel(std::time::Duration::from_secs(1));
            let payload = format!("{service} {version}").into_bytes();
            let saved = state(world, version, payload);
            world.states(service).save(&saved, SaveMode::Replace).await.unwrap();
        }
    }
    for service in services {
        let states = world.states(service);
        for version in ["v1", "v2"] {
            let found = states.latest_for_version("Students", version).await.unwrap().unwrap();
            assert_eq!(found.payload, format!("{service} {version}").into_bytes());
            assert_eq!(found.events_processed, 9);
        }
        assert_eq!(states.list().await.unwrap().len(), 2);
        assert!(states.latest_for_version("Students", "v3").await.unwrap().is_none());
        assert!(states.latest_any_version("Teachers").await.unwrap().is_none());
        let any = states.latest_any_version("Students").await.unwrap().unwrap();
        assert_eq!(any.payload, format!("{service} v2").into_bytes());
    }
    let alpha = world.states("alpha");
    assert!(alpha.delete("Students", "v1").await.unwrap());
    assert!(!alpha.delete("Students", "v1").await.unwrap());
    assert_eq!(alpha.delete_all().await.unwrap(), 1);
    assert_eq!(world.states("beta").list().await.unwrap().len(), 2);
}

pub(crate) async fn dc_a14_a_large_state_is_offloaded(world: &World) {
    let states = world.states("alpha");
    let randomness = client_randomness();
    // Random bytes, which cannot be compressed.
    let payload: Vec<u8> = (0..375_000).flat_map(|_| randomness.next().to_le_bytes()).collect();
    assert_eq!(payload.len(), 3_000_000);
    states.save(&state(world, "v1", payload.clone()), SaveMode::Replace).await.unwrap();
    let stored = states.list().await.unwrap().remove(0);
    assert!(matches!(stored.data, StateData::Offloaded { .. }));
    assert_eq!(stored.original_size_bytes, 3_000_000);
    let found = states.latest_for_version("Students", "v1").await.unwrap().unwrap();
    assert_eq!(found.payload, payload);
    // The next state is small and replaces it.
    states.save(&state(world, "v1", b"{}".to_vec()), SaveMode::Replace).await.unwrap();
    let found = states.latest_for_version("Students", "v1").await.unwrap().unwrap();
    assert_eq!(found.payload, b"{}");
    let StateData::Offloaded { key, .. } = stored.data else { panic!("offloaded") };
    let gone = world.storage.payloads.get(&key).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

fn client_randomness() -> engine::SeededRandomness {
    let _ = Environment::system();
    engine::SeededRandomness::new(3)
}

pub(crate) async fn a_save_can_be_tied_to_a_revision(world: &World) {
    let states = world.states("alpha");
    let saved = state(world, "v1", b"1".to_vec());
    assert_eq!(states.save(&saved, SaveMode::IfRevision(0)).await.unwrap(), 1);
    let error = states.save(&saved, SaveMode::IfRevision(0)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let second = state(world, "v1", b"2".to_vec());
    assert_eq!(states.save(&second, SaveMode::IfRevision(1)).await.unwrap(), 2);
    assert_eq!(states.save(&saved, SaveMode::Replace).await.unwrap(), 3);
    for wrong in ["", "a/b", "..", "a b"] {
        let named = ProjectionState { projector_name: wrong.to_owned(), ..saved.clone() };
        let error = states.save(&named, SaveMode::Replace).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}
