//! SM-A4, A6, A7, A8, A10, A11, A15: one workload.

use std::time::Duration;

use secret_migration::{
    ErrorKind, MigrationStatus, RollbackOptions, RolloutHealth, RunScope, SecretBackend,
    WorkloadChange,
};

use crate::world::{CLUSTER, Way, World, cluster};

pub(crate) async fn sm_a4_a_workload_is_migrated_with_every_step_in_the_audit<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    let before = world.system.resolve(&key).await.unwrap();
    assert_eq!((before.backend, before.paths.len()), (SecretBackend::Hashi, 3));
    // The watcher waits before the migration, and sees the switch without a further request.
    let (system, watched, etag) = (world.system.clone(), key.clone(), before.etag.clone());
    let watcher = tokio::spawn(async move {
        system.resolve_change(&watched, &etag, Duration::from_secs(3_600)).await.unwrap().unwrap()
    });
    let report = world.run(CLUSTER).await;
    assert_eq!((report.migrated, report.failed.len()), (1, 0), "{report:?}");
    let seen = tokio::time::timeout(Duration::from_secs(30), watcher).await.unwrap().unwrap();
    assert_eq!(seen.backend, SecretBackend::Smp);

    let workload = world.workload(&key).await;
    let state = (workload.migration_status, workload.secret_backend);
    assert_eq!(state, (MigrationStatus::Migrated, SecretBackend::Smp));
    assert_eq!((workload.attempts, workload.claimed_by), (1, None));
    let target = workload.smp_secrets.unwrap();
    for (item, source) in target.items.iter().zip(&workload.hashi_secrets.items) {
        assert_eq!(world.target.data(&item.path), world.vault.data(&item.source_path));
        assert_eq!(item.source_path, format!("secret/{}", source.path));
        assert_eq!(Some(&item.fingerprint), source.fingerprint.as_ref());
        assert_eq!(source.version, Some(1.into()));
        assert_eq!(item.version, 1.into());
    }
    assert_eq!(target.items.len(), 3);
    assert_eq!(
        world.actions(&key).await,
        [
            "discover",
            "claim",
            "resolve-mapping",
            "read-source",
            "write-target",
            "verify",
            "switch",
            "rollout",
            "health",
            "finish"
        ]
        .map(str::to_owned)
        .into_iter()
        .collect::<Vec<_>>()
    );
    world.assert_sound(CLUSTER).await;
    // Nothing is left to do.
    assert_eq!(world.run(CLUSTER).await.migrated, 0);
}

pub(crate) async fn sm_a6_a_rollback_is_one_write_and_needs_the_source<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    world.run(CLUSTER).await;
    let back = world.system.roll_back(&key, &RollbackOptions::default(), "ann").await.unwrap();
    let state = (back.workload.migration_status, back.workload.secret_backend);
    assert_eq!(state, (MigrationStatus::RolledBack, SecretBackend::Hashi));
    assert_eq!(world.system.resolve(&key).await.unwrap().backend, SecretBackend::Hashi);
    assert_eq!(back.changed_on_target, Vec::<String>::new());
    let last = world.restarts.triggers().pop().unwrap();
    assert_eq!((last.0, last.1), (key.id(), SecretBackend::Hashi));
    assert_eq!(world.actions(&key).await.last().map(String::as_str), Some("roll back"));
    // Again, and then without its source.
    world.system.retry_migration(&key, None, "ann").await.unwrap();
    world.run(CLUSTER).await;
    let before = world.workload(&key).await;
    assert_eq!(before.migration_status, MigrationStatus::Migrated);
    assert!(
        world.target.versions().values().all(|versions| *versions == 1),
        "nothing is copied twice"
    );
    world.vault.delete("secret/cart/api");
    let refused =
        world.system.roll_back(&key, &RollbackOptions::default(), "ann").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert!(refused.to_string().contains("secret/cart/api is deleted"), "{refused}");
    assert_eq!(world.workload(&key).await, before);
    // An admin may insist; what changed on the target is reported.
    world.target.put("apps/shop/secret/cart/db", &[("password", "new")]);
    let force = RollbackOptions { force: true, ..RollbackOptions::default() };
    let forced = world.system.roll_back(&key, &force, "ann").await.unwrap();
    assert_eq!(forced.changed_on_target, ["apps/shop/secret/cart/db"]);
    world.assert_sound(CLUSTER).await;
}

pub(crate) async fn sm_a7_a_missing_mapping_leaves_the_workload_pending<W: Way>() {
    let world = World::new::<W>().await;
    world.system.sync_namespaces(&cluster(CLUSTER), Vec::new()).await.unwrap();
    let key = world.add(CLUSTER, "cart", &["cart/db"]).await;
    let refused = world.system.request_migration(&key, None, "ann").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::MappingMissing);
    assert!(refused.to_string().contains("namespace shop of dev-1"), "{refused}");
    assert_eq!(world.workload(&key).await.last_change.number, 1, "nothing was changed");
    // A worker that takes it all the same puts it back, with the error.
    let report = world.run(CLUSTER).await;
    assert_eq!(report.failed.len(), 1);
    let workload = world.workload(&key).await;
    assert_eq!(workload.migration_status, MigrationStatus::Pending);
    assert!(workload.last_error.unwrap().contains("namespace shop"));
    assert_eq!(world.target.versions().len(), 0);
}

pub(crate) async fn sm_a8_failed_writes_are_retried_without_a_second_version<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    world.target.fail_writes(2);
    for attempt in 1..=2 {
        let report = world.run(CLUSTER).await;
        assert_eq!((report.migrated, report.failed.len()), (0, 1), "{attempt}");
        assert_eq!(world.run(CLUSTER).await.failed.len(), 0, "it is not due yet");
        world.travel(3_600);
    }
    // The third attempt loses the response of each write.
    world.target.lose_responses(3);
    assert_eq!(world.run(CLUSTER).await.migrated, 1);
    let workload = world.workload(&key).await;
    assert_eq!((workload.attempts, workload.last_error), (3, None));
    assert_eq!(world.target.versions().into_values().collect::<Vec<_>>(), [1, 1, 1]);
    world.assert_sound(CLUSTER).await;
}

pub(crate) async fn sm_a8_after_five_attempts_a_workload_is_held<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    world.target.fail_path("cart/api");
    for _ in 0..8 {
        world.run(CLUSTER).await;
        world.travel(7_200);
        world.sync(CLUSTER).await;
    }
    let workload = world.workload(&key).await;
    assert_eq!((workload.attempts, workload.paused), (5, true));
    assert_eq!(workload.migration_status, MigrationStatus::Pending);
    assert!(workload.last_error.unwrap().contains("cart/api"));
    assert_eq!(world.system.summary(&cluster(CLUSTER)).await.unwrap().held, 1);
    let held = world.system.request_migration(&key, None, "ann").await.unwrap_err();
    assert_eq!(held.kind(), ErrorKind::Conflict);
    world.system.retry_migration(&key, None, "ann").await.unwrap();
    assert_eq!(world.workload(&key).await.attempts, 0);
}

pub(crate) async fn sm_a10_of_two_operators_one_wins<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    world.run(CLUSTER).await;
    for round in 0..8 {
        // Both read the same version of a migrated workload; one rolls it back, the other changes it.
        let etag = world.system.workload(&key).await.unwrap().1;
        let options = RollbackOptions { if_match: etag.clone(), ..RollbackOptions::default() };
        let change =
            WorkloadChange { owner: Some(format!("o{round}")), ..WorkloadChange::default() };
        let (one, other) = tokio::join!(
            world.system.roll_back(&key, &options, "ann"),
            world.system.change_workload(&key, change, etag.as_ref(), "bob"),
        );
        assert!(one.is_ok() != other.is_ok(), "exactly one wins");
        let kind = one.err().or(other.err()).unwrap().kind();
        assert_eq!(kind, ErrorKind::Changed);
        world.assert_sound(CLUSTER).await;
        if world.workload(&key).await.migration_status == MigrationStatus::RolledBack {
            world.system.retry_migration(&key, None, "ann").await.unwrap();
            // A worker migrates while an operator rolls back.
            let options = RollbackOptions::default();
            let (report, back) =
                tokio::join!(world.run(CLUSTER), world.system.roll_back(&key, &options, "ann"),);
            world.assert_sound(CLUSTER).await;
            assert!(report.migrated == 1 || back.is_ok(), "{report:?}");
            if back.is_ok() {
                world.system.retry_migration(&key, None, "ann").await.ok();
                world.run(CLUSTER).await;
            }
        }
    }
}

pub(crate) async fn sm_a11_a_status_is_not_set_by_hand<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    let status = |text: &str| WorkloadChange {
        migration_status: Some(text.to_owned()),
        ..WorkloadChange::default()
    };
    let backend =
        WorkloadChange { secret_backend: Some("foo".to_owned()), ..WorkloadChange::default() };
    let cases = [
        (status("MIGRATED"), ErrorKind::Conflict),
        (status("FAILED"), ErrorKind::Invalid),
        (backend, ErrorKind::Invalid),
    ];
    for (change, kind) in cases {
        let refused = world.system.change_workload(&key, change, None, "ann").await.unwrap_err();
        assert_eq!(refused.kind(), kind, "{refused}");
    }
    assert_eq!(world.workload(&key).await.last_change.number, 1);
    world.system.change_workload(&key, status("pending"), None, "ann").await.unwrap();
}

pub(crate) async fn sm_a15_drift_is_flagged_and_synchronised<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    world.run(CLUSTER).await;
    let none = world.system.check_drift(&cluster(CLUSTER), false, "ann").await.unwrap();
    assert_eq!((none.checked, none.drifted.len()), (1, 0));
    world.vault.put("secret/cart/db", &[("password", "changed")]);
    let found = world.system.check_drift(&cluster(CLUSTER), false, "ann").await.unwrap();
    assert_eq!(found.drifted, [(key.id(), vec!["secret/cart/db".to_owned()])]);
    assert_eq!(world.workload(&key).await.drift.unwrap().paths, ["secret/cart/db"]);
    assert_eq!(world.target.versions()["apps/shop/secret/cart/db"], 1);
    let synced = world.system.check_drift(&cluster(CLUSTER), true, "ann").await.unwrap();
    assert_eq!((synced.synced, synced.failed.len()), (vec![key.id()], 0));
    assert_eq!(world.target.data("apps/shop/secret/cart/db")["password"], "\"changed\"");
    assert_eq!(world.target.versions()["apps/shop/secret/cart/db"], 2);
    assert_eq!(world.target.versions()["apps/shop/secret/cart/api"], 1);
    let workload = world.workload(&key).await;
    assert_eq!((workload.drift, workload.migration_status), (None, MigrationStatus::Migrated));
}

pub(crate) async fn an_unhealthy_workload_is_rolled_back_by_itself<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    world.restarts.health(RolloutHealth::Waiting);
    let report = world.run(CLUSTER).await;
    assert_eq!(report.rolled_back.len(), 1);
    let workload = world.workload(&key).await;
    let state = (workload.migration_status, workload.secret_backend);
    assert_eq!(state, (MigrationStatus::RolledBack, SecretBackend::Hashi));
    assert!(workload.reason.unwrap().contains("not healthy within 300 seconds"));
    let backends: Vec<_> = world.restarts.triggers().into_iter().map(|one| one.1).collect();
    assert_eq!(backends, [SecretBackend::Smp, SecretBackend::Hashi]);
    world.assert_sound(CLUSTER).await;
}

pub(crate) async fn a_busy_platform_is_asked_again_later<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    world.vault.busy(3);
    let report =
        world.system.run_cluster(&cluster(CLUSTER), RunScope::All, "worker").await.unwrap();
    assert_eq!(report.migrated, 1);
    assert_eq!((world.system.totals().back_offs, world.workload(&key).await.attempts), (3, 1));
    // Busy for longer than a worker waits: a later attempt.
    let other = world.add(CLUSTER, "pay", &["pay/db"]).await;
    world.vault.busy(5);
    assert_eq!(world.run(CLUSTER).await.failed.len(), 1);
    assert!(world.workload(&other).await.last_error.unwrap().contains("too many requests"));
    world.travel(60);
    assert_eq!(world.run(CLUSTER).await.migrated, 1);
    // The target pushes back as well: the write is repeated, and there is one version.
    let third = world.add(CLUSTER, "mail", &["mail/smtp"]).await;
    let before = world.system.totals().back_offs;
    world.target.busy(2);
    assert_eq!(world.run(CLUSTER).await.migrated, 1);
    assert_eq!(world.system.totals().back_offs, before + 2);
    assert_eq!(world.workload(&third).await.attempts, 1);
    assert_eq!(world.target.versions()["apps/shop/secret/mail/smtp"], 1);
}
