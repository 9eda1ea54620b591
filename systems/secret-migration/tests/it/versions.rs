//! Copying every live version of a secret (`Migration:AllVersions`), also after crashes and after an earlier copy.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use async_trait::async_trait;
use secret_migration::{
    ErrorKind, ExpectedVersion, MigrationSettings, MigrationStatus, MigrationStep, PlatformError,
    Platforms, RunScope, SecretData, SecretMigration, SecretTarget, SecretVersion, TargetSecret,
    WorkloadKey,
};

use crate::crashes::CrashAt;
use crate::world::{CLUSTER, Embedded, OverGateway, Way, World, cluster, settings};

const SOURCE: &str = "secret/cart/db";
const TARGET: &str = "apps/shop/secret/cart/db";

/// A workload whose secret has four live versions, of which two are equal, and a deleted one.
async fn world_with_versions<W: Way>() -> (World, WorkloadKey) {
    let settings = MigrationSettings { all_versions: true, ..settings() };
    let world = World::with::<W>(settings).await;
    world.sync(CLUSTER).await;
    for password in ["one", "two", "gone"] {
        world.vault.put(SOURCE, &[("password", password)]);
    }
    world.vault.delete(SOURCE);
    world.vault.put(SOURCE, &[("password", "one")]);
    // The workload adds the newest one.
    let key = world.add(CLUSTER, "cart", &["cart/db"]).await;
    (world, key)
}

async fn every_live_version_is_copied_in_its_order<W: Way>() {
    let (world, key) = world_with_versions::<W>().await;
    let report = world.run(CLUSTER).await;
    assert_eq!((report.migrated, report.failed.len()), (1, 0), "{report:?}");
    assert_eq!(world.target.passwords(TARGET), ["one", "two", "one", "hush"]);
    let workload = world.workload(&key).await;
    assert_eq!(workload.hashi_secrets.items[0].version, Some(5.into()));
    assert_eq!(workload.smp_secrets.unwrap().items[0].version, 4.into());
    let entries = world.system.audit(&key.cluster, Some("shop/cart"), None).await.unwrap();
    let written = entries.iter().find(|entry| entry.action == "write-target").unwrap();
    assert_eq!(written.detail.as_deref(), Some("1 path, 4 versions"));
    // A second migration writes nothing, and a synchronisation only what is new.
    world.system.roll_back(&key, &Default::default(), "ann").await.unwrap();
    world.system.retry_migration(&key, None, "ann").await.unwrap();
    assert_eq!(world.run(CLUSTER).await.migrated, 1);
    assert_eq!(world.target.passwords(TARGET).len(), 4);
    for password in ["six", "one"] {
        world.vault.put(SOURCE, &[("password", password)]);
    }
    let synced = world.system.check_drift(&cluster(CLUSTER), true, "ann").await.unwrap();
    assert_eq!((synced.synced.len(), synced.failed.len()), (1, 0), "{synced:?}");
    assert_eq!(world.target.passwords(TARGET), ["one", "two", "one", "hush", "six", "one"]);
    world.assert_sound(CLUSTER).await;
}

#[tokio::test]
async fn every_live_version_is_copied() {
    every_live_version_is_copied_in_its_order::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_live_version_is_copied_over_our_gateway() {
    every_live_version_is_copied_in_its_order::<OverGateway>().await;
}

#[tokio::test]
async fn sm_a9_a_worker_killed_between_two_versions_leaves_no_gap_and_no_duplicate() {
    for time in 0..4 {
        let (world, key) = world_with_versions::<Embedded>().await;
        let victim = world.reopened().await;
        let at = (MigrationStep::WritePath, false);
        victim.observe_steps(Arc::new(CrashAt { at, left: AtomicUsize::new(time) }));
        let crashed = tokio::spawn(async move {
            victim.run_cluster(&cluster(CLUSTER), RunScope::All, "victim").await.unwrap();
        });
        assert!(crashed.await.is_err(), "{time}");
        assert_eq!(world.target.passwords(TARGET).len(), time + 1);
        world.travel(301);
        let next = world.reopened().await;
        next.run_cluster(&cluster(CLUSTER), RunScope::All, "next").await.unwrap();
        world.travel(301);
        next.run_cluster(&cluster(CLUSTER), RunScope::All, "next").await.unwrap();
        assert_eq!(world.target.passwords(TARGET), ["one", "two", "one", "hush"], "{time}");
        assert_eq!(world.workload(&key).await.migration_status, MigrationStatus::Migrated);
    }
}

#[tokio::test]
async fn a_foreign_version_on_the_target_is_a_conflict_or_is_overwritten() {
    let (world, key) = world_with_versions::<Embedded>().await;
    world.target.put(TARGET, &[("password", "foreign")]);
    assert_eq!(world.run(CLUSTER).await.failed.len(), 1);
    assert!(world.workload(&key).await.last_error.unwrap().contains("Migration:Overwrite"));
    assert_eq!(world.target.passwords(TARGET), ["foreign"]);
    let platforms = Platforms {
        source: Arc::new(world.vault.clone()),
        target: Arc::new(world.target.clone()),
        rollout: Arc::new(world.restarts.clone()),
    };
    let settings = MigrationSettings { all_versions: true, overwrite: true, ..settings() };
    let (account, environment) = (world.account.clone(), world.environment.clone());
    let system = SecretMigration::open(account, settings, environment, platforms).await.unwrap();
    world.travel(3_600);
    system.run_cluster(&cluster(CLUSTER), RunScope::All, "worker").await.unwrap();
    assert_eq!(world.target.passwords(TARGET), ["foreign", "one", "two", "one", "hush"]);
}

/// A target whose versions are texts.
struct Unnumbered;

#[async_trait]
impl SecretTarget for Unnumbered {
    fn numbers_versions(&self) -> bool {
        false
    }

    async fn read(&self, _: &str) -> Result<Option<TargetSecret>, PlatformError> {
        Ok(None)
    }

    async fn write(
        &self,
        _: &str,
        _: &SecretData,
        _: &ExpectedVersion,
    ) -> Result<SecretVersion, PlatformError> {
        Ok(SecretVersion::Text("etag".to_owned()))
    }
}

#[tokio::test]
async fn a_target_without_numbers_is_refused_for_all_versions() {
    let world = World::new::<Embedded>().await;
    let platforms = || Platforms {
        source: Arc::new(world.vault.clone()),
        target: Arc::new(Unnumbered),
        rollout: Arc::new(world.restarts.clone()),
    };
    let open = |all_versions| {
        let settings = MigrationSettings { all_versions, ..settings() };
        let (account, environment) = (world.account.clone(), world.environment.clone());
        SecretMigration::open(account, settings, environment, platforms())
    };
    let refused = open(true).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.to_string().contains("Migration:AllVersions"), "{refused}");
    open(false).await.unwrap();
}
