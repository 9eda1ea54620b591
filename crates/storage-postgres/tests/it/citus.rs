//! The store on a coordinator and two workers, where the extension is installed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use planisphere_storage_postgres::{PostgresLocation, PostgresStore};
use scratch_postgres::{CITUS_NOT_INSTALLED, ScratchCitus, StopMode};
use storage::Store;

use crate::database::small;
use crate::faults::{check_log, count_to};

/// A cluster of one test; `None`, said by the name of the test, without the extension.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn cluster(test: &str) -> Option<ScratchCitus> {
    let Some(cluster) = ScratchCitus::start(2).unwrap() else {
        eprintln!("SKIPPED {test}: {CITUS_NOT_INSTALLED}");
        return None;
    };
    // Few, because every case makes its own tables, and each of them has so many.
    cluster.coordinator.psql("ALTER SYSTEM SET citus.shard_count = 4").unwrap();
    cluster.coordinator.psql("SELECT pg_reload_conf()").unwrap();
    Some(cluster)
}

fn location(cluster: &ScratchCitus, schema: &str) -> PostgresLocation {
    let url = cluster.coordinator.url("postgres", "postgres");
    PostgresLocation::parse(&format!("{url}?citus=on&schema={schema}")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_distributed_store_keeps_the_contract() {
    let Some(cluster) = cluster("a_distributed_store_keeps_the_contract") else { return };
    let schemas = AtomicU32::new(0);
    storage::contract::run(async || {
        let schema = format!("case{}", schemas.fetch_add(1, Ordering::Relaxed));
        PostgresStore::open(&location(&cluster, &schema), small()).await.unwrap()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_move_and_workers_restart_while_the_store_is_written() {
    let name = "shards_move_and_workers_restart_while_the_store_is_written";
    let Some(mut cluster) = cluster(name) else { return };
    let store = PostgresStore::open(&location(&cluster, "planisphere"), small()).await.unwrap();
    let counting = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { count_to(&store, 400).await })
    };
    cluster.add_worker().unwrap();
    cluster
        .coordinator
        .psql("SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')")
        .unwrap();
    for worker in &mut cluster.workers {
        worker.stop(StopMode::Fast).unwrap();
        worker.start_again().unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    counting.await.unwrap();
    check_log(&store, 400).await;
    let placed = "SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'planisphere.entry'::regclass";
    assert_eq!(
        cluster.coordinator.psql(placed).unwrap().trim(),
        "3",
        "shards have moved to the new worker"
    );
    store.close().await.unwrap();
}
