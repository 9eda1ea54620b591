//! Commands that need no platform: scan, plan, status, export, schema, settings, budget, and refusals.

use std::path::Path;

use serde_json::Value;

use crate::planisphere::{Said, planisphere};

fn tracker(words: &[&str]) -> Said {
    planisphere([&["secret-migration"][..], words].concat())
}

fn on(folder: &Path, words: &[&str]) -> Said {
    tracker(&[words, &["--data", folder.to_str().unwrap()]].concat())
}

/// A folder of manifests with one cluster, one namespace and two workloads.
pub(super) fn manifests(folder: &Path) {
    let cluster = folder.join("dev-1");
    std::fs::create_dir_all(&cluster).unwrap();
    let mut text = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  annotations:\n    \
                    planisphere.dev/smp-path: apps/shop\n"
        .to_owned();
    for name in ["cart", "mail"] {
        text += &format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: shop\nspec:\n  \
             template:\n    metadata:\n      annotations:\n        vault.hashicorp.com/agent-inject: 'true'\n        \
             vault.hashicorp.com/agent-inject-secret-db: secret/data/{name}/db\n"
        );
    }
    std::fs::write(cluster.join("all.yaml"), text).unwrap();
}

#[test]
fn a_folder_is_scanned_planned_counted_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let (data, source) = (folder.path().join("data"), folder.path().join("manifests"));
    manifests(&source);
    let source = source.to_str().unwrap();
    let said = on(&data, &["scan", "--folder", source]).succeeded();
    assert!(said.out.contains("dev-1: 2 workloads (2 new"), "{said:?}");
    let again = on(&data, &["scan", "--folder", source, "--cluster", "dev-1"]).succeeded();
    assert!(again.out.contains("(0 new, 0 changed, 0 gone)"), "{again:?}");
    let plan = on(&data, &["plan", "dev-1"]).succeeded();
    let plan: Value = serde_json::from_str(&plan.out).unwrap();
    assert_eq!((&plan["ready"], &plan["isStale"]), (&2.into(), &false.into()), "{plan}");
    let status = on(&data, &["status"]).succeeded();
    assert!(status.out.contains("dev-1: PENDING 2; 0 held"), "{status:?}");
    let csv = on(&data, &["export", "dev-1"]).succeeded();
    let lines: Vec<&str> = csv.out.lines().collect();
    assert!(lines[0].starts_with("cluster,namespace,workload,kind,status,backend"), "{csv:?}");
    assert!(lines[1].starts_with("dev-1,shop,cart,Deployment,PENDING,hashi"), "{csv:?}");
    assert_eq!(lines.len(), 3);
    let unsure = on(&data, &["rollback", "dev-1", "--all", "--reason", "test"]);
    assert!(unsure.code == 2 && unsure.err.contains("--yes"), "{unsure:?}");
    let none = on(&data, &["rollback", "dev-1", "--workload", "shop/cart", "--reason", "test"]);
    assert!(none.code == 2 && none.err.contains("PENDING"), "{none:?}");
    let colon = on(&data, &["plan", "dev:1"]);
    assert!(colon.code == 2 && colon.err.contains("lower-case"), "{colon:?}");
    std::fs::write(folder.path().join("manifests/dev-1/bad.yaml"), "a: [").unwrap();
    let bad = on(&data, &["scan", "--folder", source]);
    assert!(bad.code == 2 && bad.err.contains("bad.yaml"), "{bad:?}");
}

#[test]
fn the_schema_and_the_settings_are_printed_without_secrets() {
    let schema = tracker(&["schema", "export", "--to", "arm"]).succeeded();
    for name in ["migration_metadata", "namespace_metadata", "migration_audit", "/cluster", "4000"]
    {
        assert!(schema.out.contains(name), "{name}: {}", schema.out);
    }
    let set = ["settings", "show", "--set", "Vault:Token=hush", "--set", "Smp:Kind=directory"];
    let more = ["--set", "Smp:Folder=f", "--set", "Smp:Key=hush-too"];
    let shown = tracker(&[&set[..], &more].concat()).succeeded();
    assert!(shown.out.contains("Smp:Kind") && !shown.out.contains("hush"), "{shown:?}");
    let wrong = tracker(&["settings", "show", "--set", "Migration:Workers=0"]);
    assert!(wrong.code == 2 && wrong.err.contains("Migration:Workers"), "{wrong:?}");
}
