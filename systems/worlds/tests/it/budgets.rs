//! WB-050 to WB-070: request units of the operations, in the charge profile of the service.

use worlds::{EntityChange, EntityDraft, EntityFilter, EntityId, RestoredParent};

use crate::stage::{Embedded, Stage, eldoria};

/// Twice the upper bound of the seed is allowed.
fn check(operation: &str, charge: f64, bound: f64) {
    assert!(charge > 0.0 && charge <= 2.0 * bound, "{operation}: {charge} RU, bound {bound}");
}

/// Known to cost more than twice the figure of the seed, which has no counter (WB-X21): it must not cost still more.
fn check_excess(operation: &str, charge: f64, bound: f64, at_most: f64) {
    let is_expected = charge > 2.0 * bound && charge <= at_most;
    assert!(is_expected, "{operation}: {charge} RU, bound {bound}, known to be at most {at_most}");
}

#[tokio::test]
async fn operations_without_the_counter_stay_within_twice_their_budget() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [arcanis, ..]) = eldoria(&stage).await;
    for number in 0..10 {
        stage.create(&world, &arcanis, "Country", &format!("Country {number}")).await;
    }
    stage.work().await;
    let (system, access) = (&stage.system, stage.access(&world).await);
    let top = EntityId::parse(arcanis.as_str()).unwrap();
    check("WB-050", system.entity(&access, &top).await.unwrap().charge, 1.0);
    check("WB-051", system.children(&access, &top, 50, None).await.unwrap().charge, 5.0);
    let all = EntityFilter::default();
    check("WB-053", system.entities(&access, &all, 50, None).await.unwrap().charge, 15.0);
    let by_type = EntityFilter { entity_type: Some("Country".to_owned()), ..all };
    check("WB-054", system.entities(&access, &by_type, 50, None).await.unwrap().charge, 8.0);
    check("WB-055", system.search(&access, "elara", None, 50, None).await.unwrap().charge, 12.0);
    check("WB-056", system.count_children(&access, &top).await.unwrap().charge, 3.0);
    check("WB-057", system.worlds_of(access.user(), 50, None).await.unwrap().charge, 50.0);
    let draft = EntityDraft {
        parent_id: Some(top.clone()),
        entity_type: "City".to_owned(),
        name: "Port Amber".to_owned(),
        ..EntityDraft::default()
    };
    let created = system.create_entity(&access, draft).await.unwrap();
    let id = created.value.entity.id;
    let change = EntityChange { name: Some("Amber".to_owned()), ..EntityChange::default() };
    check("WB-059", system.update_entity(&access, &id, &change, None).await.unwrap().charge, 12.0);
    let root = access.world().root();
    check("WB-061", system.move_entity(&access, &id, &root, None).await.unwrap().charge, 10.0);
    check_excess("WB-058", created.charge, 8.0, 28.0);
    let deleted = system.delete_entity(&access, &id, None).await.unwrap();
    check_excess("WB-060", deleted.charge, 10.0, 32.0);
    check("WB-068", system.trash(&access, 50, None).await.unwrap().charge, 5.0);
    stage.travel_days(31);
    system.sweep_trash().await.unwrap();
    check("WB-067", system.trash(&access, 50, None).await.unwrap().charge, 10.0);
    let restored = system.restore_entity(&access, &id, RestoredParent::Refuse).await.unwrap();
    check("WB-069", restored.charge, 20.0);
}
