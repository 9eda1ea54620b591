//! The tree equals one made from all entities, after any edits, restarts and lost leases.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use worlds::{EntityDraft, EntityId, RestoredParent, TreeEntity, WorldId};

use crate::stage::{Embedded, Stage};

/// One step of a random history. Numbers choose among the entities that exist.
#[derive(Clone, Copy, Debug)]
enum Step {
    Create(usize),
    Rename(usize),
    Move(usize, usize),
    Delete(usize),
    Cascade(usize),
    Restore(usize),
    /// One of two workers handles what is new, if it has the lease.
    Work(u8),
    Operations,
    /// The leases are lost: everything is delivered again.
    LoseLeases,
    Sweep,
    Travel(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = any::<usize>;
    let step = prop_oneof![
        6 => at().prop_map(Step::Create),
        3 => at().prop_map(Step::Rename),
        3 => (at(), at()).prop_map(|(one, to)| Step::Move(one, to)),
        1 => at().prop_map(Step::Delete),
        1 => at().prop_map(Step::Cascade),
        1 => at().prop_map(Step::Restore),
        3 => any::<u8>().prop_map(Step::Work),
        2 => Just(Step::Operations),
        1 => Just(Step::LoseLeases),
        1 => Just(Step::Sweep),
        1 => any::<u8>().prop_map(Step::Travel),
    ];
    prop::collection::vec(step, 1..40)
}

#[test]
fn the_tree_is_a_function_of_the_entities_whatever_happens() {
    let config = Config { cases: 16, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runner
        .run(&steps(), |steps| {
            runtime.block_on(check(&steps));
            Ok(())
        })
        .unwrap();
}

async fn check(steps: &[Step]) {
    let stage = Stage::new::<Embedded>().await;
    let system = &stage.system;
    let path = stage.create_world("World").await;
    let access = stage.access(&path).await;
    let world = access.world().clone();
    let mut ids: Vec<EntityId> = vec![world.root()];
    let workers =
        [system.tree_worker("w0").await.unwrap(), system.tree_worker("w1").await.unwrap()];
    for (number, step) in steps.iter().enumerate() {
        let pick = |at: usize| ids[at % ids.len()].clone();
        // Refusals are part of the history: a parent may be deleted, a move may be a cycle.
        match *step {
            Step::Create(at) => {
                let draft = EntityDraft {
                    parent_id: Some(pick(at)),
                    entity_type: "Note".to_owned(),
                    name: format!("N{number}"),
                    ..EntityDraft::default()
                };
                if let Ok(created) = system.create_entity(&access, draft).await {
                    ids.push(created.value.entity.id);
                }
            }
            Step::Rename(at) => {
                let change =
                    worlds::EntityChange { name: Some(format!("R{number}")), ..Default::default() };
                let _ = system.update_entity(&access, &pick(at), &change, None).await;
            }
            Step::Move(at, to) => {
                let _ = system.move_entity(&access, &pick(at), &pick(to), None).await;
            }
            Step::Delete(at) => {
                let _ = system.delete_entity(&access, &pick(at), None).await;
            }
            Step::Cascade(at) if at % ids.len() > 0 => {
                let _ = system.delete_cascade(&access, &pick(at), None).await;
            }
            Step::Restore(at) => {
                let parents =
                    [RestoredParent::Refuse, RestoredParent::Restore, RestoredParent::World];
                let parents = parents[at % 3];
                let _ = system.restore_entity(&access, &pick(at), parents).await;
            }
            Step::Cascade(_) => {}
            Step::Work(name) => {
                workers[usize::from(name % 2)].run_once().await.unwrap();
            }
            Step::Operations => {
                system.run_operations("w").await.unwrap();
            }
            Step::LoseLeases => {
                let leases = &system.containers().leases;
                let query = client::Query::text("SELECT VALUE c.id FROM c").fan_out("a test");
                for lease in leases.query::<String>(&query).await.unwrap().value {
                    leases.delete(&lease.as_str().into(), &lease, None).await.unwrap();
                }
            }
            Step::Sweep => {
                system.sweep_trash().await.unwrap();
            }
            Step::Travel(days) => stage.travel_days(u64::from(days % 40)),
        }
    }
    // The workers are gone; another one waits for their leases and does everything there is to do.
    drop(workers);
    stage.work().await;
    assert_tree(&stage, &world).await;
}

async fn assert_tree(stage: &Stage, world: &WorldId) {
    let expected = stage.system.tree_from_entities(world).await.unwrap().unwrap();
    let access = stage.access(world.as_str()).await;
    let stored = stage.system.hierarchy(&access, true).await.unwrap().value;
    assert_eq!(stored.root, expected.assembled());
    assert_eq!(stored.total_entities, expected.metadata.total_entities);
    assert_eq!(stage.system.rebuild(world).await.unwrap(), None);
    // Every path follows from the tree.
    let tree = expected.tree();
    let query = client::Query::text("SELECT * FROM c").within_prefix(world.partition_key());
    let entities: Vec<worlds::WorldEntity> =
        stage.system.containers().entities.query(&query).await.unwrap().value;
    for entity in entities {
        let known: TreeEntity = TreeEntity::from(&entity);
        assert_eq!(tree.get(&entity.id), Some(&known));
        let Some(lineage) = tree.lineage(&entity.id) else { continue };
        let names: Vec<&str> = lineage.iter().map(|(_, name)| *name).collect();
        assert_eq!(entity.path, names, "{}", entity.id);
        assert_eq!(entity.depth as usize + 1, lineage.len());
    }
}

#[tokio::test]
async fn a_large_world_has_branch_items_and_the_same_tree() {
    let stage = Stage::new::<Embedded>().await;
    let world = stage.create_world("Large").await;
    let mut tops = Vec::new();
    for number in 0..5 {
        tops.push(stage.create(&world, "", "Continent", &format!("Continent {number}")).await);
    }
    let access = stage.access(&world).await;
    for number in 0..600 {
        let draft = EntityDraft {
            parent_id: Some(EntityId::parse(tops[number % 5].as_str()).unwrap()),
            entity_type: "Note".to_owned(),
            name: format!("Note {number:03} about one of the many places of a large world"),
            ..EntityDraft::default()
        };
        stage.system.create_entity(&access, draft).await.unwrap();
    }
    stage.work().await;
    assert_tree(&stage, access.world()).await;
    let key = access.world().partition_key();
    let query = client::Query::text("SELECT VALUE c.id FROM c").within(key.clone());
    let items: Vec<String> = stage.system.containers().metadata.query(&query).await.unwrap().value;
    assert_eq!(items.len(), 7, "the world, the counter and five branches: {items:?}");
    // One branch changes, the others keep their etags.
    let etags = async || {
        let query = client::Query::text("SELECT VALUE c._etag FROM c").within(key.clone());
        let found: Vec<String> =
            stage.system.containers().metadata.query(&query).await.unwrap().value;
        found
    };
    let before = etags().await;
    stage.create(&world, &tops[0], "Note", "One more").await;
    stage.work().await;
    let after = etags().await;
    let same = before.iter().filter(|etag| after.contains(etag)).count();
    assert_eq!(same, 4, "the world, the counter and one branch were written");
    assert_tree(&stage, access.world()).await;
    // Small again: the branches are gone.
    for top in &tops[..4] {
        stage.call("ann", "DELETE", &format!("{world}/entities/{top}?cascade=true"), None).await;
    }
    stage.work().await;
    stage.travel_days(31);
    stage.system.sweep_trash().await.unwrap();
    assert_tree(&stage, access.world()).await;
    let items: Vec<String> = stage.system.containers().metadata.query(&query).await.unwrap().value;
    assert_eq!(items.len(), 2, "{items:?}");
    let answer = stage.get(&format!("{world}/hierarchy")).await;
    assert_eq!(answer.data()["totalEntities"], json!(121));
}
