//! Commands that need no service: import, validate, export, rebuild, erase, schema, budget, savings.

use std::path::Path;

use crate::planisphere::{Said, planisphere};

fn on(folder: &Path, words: &[&str]) -> Said {
    let data = ["--data", folder.to_str().unwrap()];
    planisphere([&["worlds"][..], words, &data].concat())
}

/// A folder of a world with two entities; the second is nested in what `parent` names.
fn write_world(folder: &Path, parent: &str) {
    std::fs::create_dir_all(folder.join("entities")).unwrap();
    std::fs::write(folder.join("world.json"), r#"{"name":"Eldoria"}"#).unwrap();
    let arcanis = r#"{"localId":"a","entityType":"Continent","name":"Arcanis"}"#;
    std::fs::write(folder.join("entities/a.json"), arcanis).unwrap();
    let valoria = format!(
        r#"{{"localId":"v","parentLocalId":"{parent}","entityType":"Country","name":"Valoria"}}"#
    );
    std::fs::write(folder.join("entities/v.json"), valoria).unwrap();
}

#[test]
fn a_world_is_imported_exported_rebuilt_and_erased() {
    let folder = tempfile::tempdir().unwrap();
    let (files, data) = (folder.path().join("eldoria"), folder.path().join("data"));
    let source = files.to_str().unwrap();
    write_world(&files, "nobody");
    let wrong = planisphere(["worlds", "validate", source]);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(wrong.out.contains("entities/v.json: DANGLING_PARENT"), "{wrong:?}");
    let refused = on(&data, &["import", source, "--user", "ann"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    write_world(&files, "a");
    let valid = planisphere(["worlds", "validate", source]).succeeded();
    assert!(valid.out.contains("2 entities, no mistakes"), "{valid:?}");
    let imported = on(&data, &["import", source, "--user", "ann"]).succeeded();
    let id = imported.out.split_whitespace().next().unwrap().to_owned();
    assert!(imported.out.contains("Eldoria, 2 entities"), "{imported:?}");
    // The worker has not run, so the tree has only the World.
    let rebuilt = on(&data, &["rebuild"]).succeeded();
    assert!(rebuilt.out.contains("1 worlds: 1 trees, 0 paths"), "{rebuilt:?}");
    let again = on(&data, &["rebuild", &id]).succeeded();
    assert!(again.out.contains("nothing to change"), "{again:?}");
    let target = folder.path().join("eldoria.zip");
    let target = target.to_str().unwrap();
    let foreign = on(&data, &["export", &id, target, "--user", "bob"]);
    assert!(foreign.code == 2 && foreign.err.contains("no such world"), "{foreign:?}");
    on(&data, &["export", &id, target, "--user", "ann"]).succeeded();
    planisphere(["worlds", "validate", target]).succeeded();
    let unpacked = folder.path().join("unpacked");
    on(&data, &["export", &id, unpacked.to_str().unwrap(), "--user", "ann"]).succeeded();
    planisphere(["worlds", "validate", unpacked.to_str().unwrap()]).succeeded();
    let unsure = on(&data, &["erase", "ann"]);
    assert!(unsure.code == 2 && unsure.err.contains("--yes"), "{unsure:?}");
    let erased = on(&data, &["erase", "ann", "--yes"]).succeeded();
    assert!(erased.out.contains("\"found\": 3"), "{erased:?}");
    let gone = on(&data, &["export", &id, target, "--user", "ann"]);
    assert_eq!(gone.code, 2, "{gone:?}");
}

#[test]
fn containers_properties_settings_and_charges_are_printed() {
    let toml = planisphere(["worlds", "schema", "export", "--to", "toml"]).succeeded();
    assert!(
        toml.out.contains("WorldMetadata") && toml.out.contains("/HierarchyRoot/*"),
        "{toml:?}"
    );
    let ids = planisphere(["worlds", "schema", "properties"]).succeeded();
    assert_eq!(ids.out.lines().count(), 8, "{ids:?}");
    let one = planisphere(["worlds", "schema", "properties", "dnd5e-character"]).succeeded();
    assert!(one.out.contains("json-schema.org"), "{one:?}");
    let settings = planisphere(["worlds", "settings", "show", "--set", "Worlds:WarnAt=7"]);
    assert!(settings.succeeded().out.contains("WarnAt"));
    // Four operations cost more than twice the figure of the seed, which the command reports by its exit code.
    let budget = planisphere(["worlds", "budget"]);
    assert_eq!(budget.code, 1, "{budget:?}");
    let far_above: Vec<&str> = budget
        .out
        .lines()
        .filter(|line| line.starts_with("WB-") && line.ends_with("**"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(far_above, ["WB-058", "WB-060", "WB-069", "WB-070"], "{budget:?}");
    let savings = planisphere(["worlds", "savings", "--entities", "100"]).succeeded();
    assert!(savings.out.contains("100"), "{savings:?}");
}
