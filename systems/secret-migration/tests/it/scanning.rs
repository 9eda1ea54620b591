//! SM-A2: manifests in folders, of four kinds; and what is wrong in them.

use std::fmt::Write as _;
use std::path::Path;

use secret_migration::{
    ErrorKind, MigrationStatus, SecretBackend, WorkloadKey, WorkloadKind, find_workloads,
    parse_manifests,
};

use crate::world::{Embedded, OverGateway, Way, World, cluster};

fn deployment(name: &str, annotations: &str) -> String {
    format!(
        r"---
# Source: shop/templates/{name}.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: shop
  labels: {{team: cart}}
spec:
  template:
    metadata:
      annotations:
{annotations}        other: x
    spec:
      containers: [{{name: c, image: i}}]
"
    )
}

fn injected(name: &str) -> String {
    let annotations = format!(
        r#"        vault.hashicorp.com/agent-inject: 'true'
        vault.hashicorp.com/role: {name}
        vault.hashicorp.com/agent-inject-secret-db: secret/data/{name}/db
        vault.hashicorp.com/agent-inject-template-db: |
          {{{{- with secret "secret/data/{name}/db" -}}}}
          {{{{ .Data.data.password }}}} {{{{ .Data.data.user }}}}{{{{- end }}}}
"#
    );
    deployment(name, &annotations)
}

/// Three clusters of 20 workloads, 12 of them using Vault.
fn write_folder(folder: &Path, skipped: &str) {
    for number in 1..=3 {
        let cluster = folder.join(format!("dev-{number}"));
        std::fs::create_dir_all(cluster.join("deep")).unwrap();
        let mut text = String::new();
        for workload in 0..20 {
            let name = format!("w{workload:02}");
            if format!("dev-{number}/{name}") == skipped {
                continue;
            }
            let one = if workload < 12 { injected(&name) } else { deployment(&name, "") };
            write!(text, "{one}").unwrap();
        }
        std::fs::write(cluster.join("deep/all.yaml"), text).unwrap();
        std::fs::write(cluster.join("README.md"), "not: [a manifest").unwrap();
    }
}

async fn sm_a2<W: Way>() {
    let world = World::new::<W>().await;
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), "");
    let scan = || world.system.scan_folder(folder.path(), "secret", "scanner");
    let first = scan().await.unwrap();
    assert_eq!(first.values().map(|report| report.created).sum::<u64>(), 36);
    let key = WorkloadKey::parse("dev-2", "shop", "w03").unwrap();
    let workload = world.workload(&key).await;
    let state = (workload.migration_status, workload.secret_backend);
    assert_eq!(state, (MigrationStatus::Pending, SecretBackend::Hashi));
    assert_eq!(workload.hashi_secrets.mount, "secret");
    assert_eq!(workload.hashi_secrets.items[0].path, "w03/db");
    assert_eq!(workload.hashi_secrets.items[0].keys, ["password", "user"]);
    assert_eq!(workload.labels["team"], "cart");
    let second = scan().await.unwrap();
    let written =
        |report: &secret_migration::ScanReport| report.created + report.changed + report.missing;
    assert_eq!(second.values().map(written).sum::<u64>(), 0, "{second:?}");
    assert_eq!(world.workload(&key).await, workload);
    write_folder(folder.path(), "dev-2/w03");
    let third = scan().await.unwrap();
    assert_eq!(third[&cluster("dev-2")].missing, 1);
    let gone = world.workload(&key).await;
    assert!(gone.missing && gone.migration_status == MigrationStatus::Pending);
    assert_eq!(world.system.pending(&cluster("dev-2"), None).await.unwrap().rows.len(), 12);
    // A week later it no longer counts.
    let count = |summary: secret_migration::ClusterSummary| summary.by_status["PENDING"];
    assert_eq!(count(world.system.summary(&cluster("dev-2")).await.unwrap()), 12);
    world.travel(8 * 86_400);
    assert_eq!(count(world.system.summary(&cluster("dev-2")).await.unwrap()), 11);
    write_folder(folder.path(), "");
    assert_eq!(scan().await.unwrap()[&cluster("dev-2")].changed, 1);
    assert!(!world.workload(&key).await.missing);
}

#[tokio::test]
async fn sm_a2_a_folder_of_manifests_becomes_workloads() {
    sm_a2::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a2_a_folder_of_manifests_becomes_workloads_over_our_gateway() {
    sm_a2::<OverGateway>().await;
}

const FOUR_WAYS: &str = r#"
apiVersion: secrets-store.csi.x-k8s.io/v1
kind: SecretProviderClass
metadata: {name: pay-vault, namespace: pay}
spec:
  provider: vault
  parameters:
    objects: |
      - objectName: key
        secretPath: kv/data/pay/api
        secretKey: token
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: pay-es, namespace: pay}
spec:
  target: {name: pay-secret}
  data:
  - secretKey: a
    remoteRef: {key: secret/data/pay/db, property: password}
  dataFrom:
  - extract: {key: secret/data/pay/all}
---
apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultStaticSecret
metadata: {name: pay-static, namespace: pay}
spec: {mount: secret, type: kv-v2, path: pay/static, destination: {name: pay-operator}}
---
apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultDynamicSecret
metadata: {name: pay-dynamic, namespace: pay}
spec: {mount: database, path: creds/pay, destination: {name: pay-database}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: pay, namespace: pay}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          volumes:
          - name: v
            csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: pay-vault}}
          containers:
          - name: c
            env: [{name: A, valueFrom: {secretKeyRef: {name: pay-secret, key: a}}}]
            envFrom: [{secretRef: {name: pay-operator}}, {secretRef: {name: pay-database}}]
---
kind: Deployment
metadata: {name: "no:name", namespace: pay}
spec:
  template:
    metadata:
      annotations:
        vault.hashicorp.com/agent-inject: "true"
        vault.hashicorp.com/agent-inject-secret-x: secret/data/x
---
kind: Namespace
metadata: {name: pay, annotations: {planisphere.dev/smp-path: apps/pay}, labels: {environment: prod}}
"#;

#[test]
fn all_four_ways_to_vault_are_found() {
    let found = find_workloads(&parse_manifests("test", FOUR_WAYS).unwrap(), "secret");
    assert_eq!(found.workloads.len(), 1);
    let secrets = &found.workloads[0].secrets;
    let paths: Vec<_> = secrets
        .items
        .iter()
        .map(|item| (secrets.mount_of(item), item.path.as_str(), item.keys.join(",")))
        .collect();
    let expected = [
        ("database", "creds/pay", ""),
        ("kv", "pay/api", "token"),
        ("secret", "pay/all", ""),
        ("secret", "pay/db", "password"),
        ("secret", "pay/static", ""),
    ];
    assert_eq!(paths, expected.map(|(mount, path, keys)| (mount, path, keys.to_owned())));
    assert!(found.problems[0].contains("no:name"), "{:?}", found.problems);
    assert_eq!(found.namespaces[0].1.smp_path, "apps/pay");
}

const ONE_NAME: &str = r#"
kind: Job
metadata: {name: api, namespace: shop, labels: {app: job}}
spec:
  template:
    metadata:
      annotations:
        vault.hashicorp.com/agent-inject: "true"
        vault.hashicorp.com/agent-inject-secret-x: secret/data/api/schema
---
kind: Deployment
metadata: {name: api, namespace: shop, labels: {app: api}}
spec:
  template:
    spec:
      volumes:
      - name: v
        projected: {sources: [{secret: {name: of-vault}}, {secret: {name: of-another}}]}
---
kind: ExternalSecret
metadata: {name: of-vault, namespace: shop}
spec: {secretStoreRef: {name: vault}, data: [{remoteRef: {key: secret/data/api/db}}]}
---
kind: ExternalSecret
metadata: {name: of-another, namespace: shop}
spec:
  secretStoreRef: {name: cloud, kind: ClusterSecretStore}
  data: [{remoteRef: {key: elsewhere}}]
---
kind: SecretStore
metadata: {name: vault, namespace: shop}
spec: {provider: {vault: {server: "https://vault"}}}
---
kind: ClusterSecretStore
metadata: {name: cloud}
spec: {provider: {aws: {service: SecretsManager}}}
"#;

#[test]
fn objects_of_one_name_are_one_workload_and_other_platforms_are_left_out() {
    let mut objects = parse_manifests("test", ONE_NAME).unwrap();
    let found = find_workloads(&objects, "secret");
    let workload = &found.workloads[0];
    assert_eq!((found.workloads.len(), workload.kind), (1, WorkloadKind::Deployment));
    assert_eq!(workload.labels["app"], "api");
    let paths: Vec<_> = workload.secrets.items.iter().map(|item| item.path.as_str()).collect();
    assert_eq!(paths, ["api/db", "api/schema"]);
    // The order of the objects says nothing: a second scan must not change a workload.
    objects.reverse();
    assert_eq!(find_workloads(&objects, "secret"), found);
}

#[test]
fn every_kind_of_workload_is_found() {
    let annotated = |kind: &str| {
        let deployment = injected("one").replace("kind: Deployment", &format!("kind: {kind}"));
        find_workloads(&parse_manifests("test", &deployment).unwrap(), "secret")
    };
    for kind in ["Deployment", "StatefulSet", "DaemonSet", "Job"] {
        let found = annotated(kind);
        let [workload] = found.workloads.as_slice() else { panic!("{kind}: {found:?}") };
        assert_eq!(workload.secrets.items[0].path, "one/db", "{kind}");
        assert_eq!(format!("{:?}", workload.kind), kind);
    }
    assert_eq!(annotated("ConfigMap").workloads.len(), 0);
}

#[tokio::test]
async fn a_manifest_that_is_no_yaml_stops_the_scan_of_its_cluster_before_it_writes() {
    let world = World::new::<Embedded>().await;
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), "");
    std::fs::write(folder.path().join("dev-1/broken.yaml"), "a: [1\nb: }").unwrap();
    let refused = world.system.scan_folder(folder.path(), "secret", "scanner").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.to_string().contains("broken.yaml"), "{refused}");
    assert_eq!(world.system.pending(&cluster("dev-1"), None).await.unwrap().rows.len(), 0);
    std::fs::remove_file(folder.path().join("dev-1/broken.yaml")).unwrap();
    std::fs::create_dir(folder.path().join("Not:A:Cluster")).unwrap();
    let refused = world.system.scan_folder(folder.path(), "secret", "scanner").await.unwrap_err();
    assert!(refused.to_string().contains("Not:A:Cluster"), "{refused}");
}

#[tokio::test]
async fn sm_030_a_running_system_scans_its_folder_and_knows_new_namespaces_within_a_minute() {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), "");
    let settings = secret_migration::MigrationSettings {
        manifest_folder: folder.path().to_str().unwrap().to_owned(),
        ..crate::world::settings()
    };
    let world = World::with::<Embedded>(settings).await;
    let jobs = world.system.jobs("one");
    jobs.run_due().await.unwrap();
    assert_eq!(world.system.pending(&cluster("dev-1"), None).await.unwrap().rows.len(), 12);
    let namespace = "kind: Namespace\nmetadata:\n  name: shop\n  annotations: {planisphere.dev/smp-path: apps/shop}\n";
    std::fs::write(folder.path().join("dev-1/shop.yaml"), namespace).unwrap();
    let shop = secret_migration::NamespaceName::parse("shop").unwrap();
    assert!(world.system.mapping(&cluster("dev-1"), &shop).await.is_err());
    world.travel(60);
    jobs.run_due().await.unwrap();
    assert_eq!(world.system.mapping(&cluster("dev-1"), &shop).await.unwrap().smp_path, "apps/shop");
    assert_eq!(world.system.stale_mapping(&cluster("dev-1")).await.unwrap(), None);
    let status = jobs.status().await.unwrap();
    assert!(status.iter().all(|job| job.last_error.is_none()), "{status:?}");
}
