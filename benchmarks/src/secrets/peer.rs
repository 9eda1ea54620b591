//! PostgreSQL: the same storage work, claims by `FOR UPDATE SKIP LOCKED`.

use std::thread;

use postgres::Client;

use super::report::SecretsSide;
use super::run::{PATHS, SOURCE, STEPS, SecretsOptions};
use crate::meter::{cpu_of_process, now};
use crate::scratch_server::{NOT_INSTALLED, ScratchServer};
use crate::{Error, Result};

/// A server whose every commit is durable, with as much memory for pages as the engine has for blocks.
const SERVER: [&str; 4] =
    ["shared_buffers=256MB", "fsync=on", "synchronous_commit=on", "max_connections=200"];

const TABLES: &str = "
CREATE TABLE workloads (
    id text PRIMARY KEY,
    cluster text NOT NULL,
    status text NOT NULL,
    backend text NOT NULL,
    claimed_by text,
    claim_until timestamptz,
    attempts int NOT NULL DEFAULT 0,
    document jsonb NOT NULL
);
CREATE INDEX workloads_pending ON workloads (cluster, id) WHERE status = 'PENDING';
CREATE TABLE audit (
    id bigserial PRIMARY KEY,
    cluster text NOT NULL,
    workload text NOT NULL,
    action text NOT NULL,
    by text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_of_workload ON audit (cluster, workload, at);
";

const CLAIM: &str = "
UPDATE workloads SET status = 'IN-PROGRESS', claimed_by = 'benchmark', attempts = attempts + 1,
    claim_until = now() + interval '300 seconds'
WHERE id = (SELECT id FROM workloads WHERE cluster = $1 AND status = 'PENDING'
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id";
const AUDIT: &str =
    "INSERT INTO audit (cluster, workload, action, by) VALUES ($1, $2, $3, 'benchmark')";
const SWITCH: &str = "
UPDATE workloads SET backend = 'smp', document = jsonb_set(document, '{smpSecrets}', document->'hashiSecrets')
WHERE id = $1 AND status = 'IN-PROGRESS'";
const FINISH: &str = "
UPDATE workloads SET status = 'MIGRATED', claimed_by = NULL, claim_until = NULL
WHERE id = $1 AND status = 'IN-PROGRESS'";

/// Runs it; what to install when there is no PostgreSQL.
pub(super) fn run(options: SecretsOptions) -> Result<std::result::Result<SecretsSide, String>> {
    let Some(server) = ScratchServer::start(&SERVER)? else {
        return Ok(Err(NOT_INSTALLED.to_owned()));
    };
    let mut client = server.connect()?;
    client.batch_execute(TABLES)?;
    fill(&mut client, options)?;
    client.batch_execute("VACUUM ANALYZE")?;
    let mut hands = Vec::new();
    for cluster in 0..options.clusters {
        for _ in 0..options.workers {
            hands.push((format!("cluster-{cluster:02}"), server.connect()?));
        }
    }
    let before = (now(), server.cpu()? + cpu_of_process("self")?);
    let migrated = thread::scope(|scope| {
        let works: Vec<_> = hands
            .iter_mut()
            .map(|(cluster, client)| scope.spawn(move || work(client, cluster)))
            .collect();
        let ended = works
            .into_iter()
            .map(|work| work.join().map_err(|_| Error::from("a connection's thread panicked"))?);
        ended.sum::<Result<u64>>()
    })?;
    let wall = now().saturating_duration_since(before.0);
    let cpu = (server.cpu()? + cpu_of_process("self")?).saturating_sub(before.1);
    let total = (options.clusters * options.workloads) as u64;
    if migrated != total {
        return Err(format!("PostgreSQL: {migrated} of {total} workloads were migrated").into());
    }
    Ok(Ok(SecretsSide { wall, cpu, units: None, pending: None, rollbacks_ms: Vec::new() }))
}

fn fill(client: &mut Client, options: SecretsOptions) -> Result<()> {
    let mut transaction = client.transaction()?;
    let insert = transaction.prepare(
        "INSERT INTO workloads (id, cluster, status, backend, document)
         VALUES ($1, $2, 'PENDING', 'hashi', $3::text::jsonb)",
    )?;
    for cluster in 0..options.clusters {
        let cluster = format!("cluster-{cluster:02}");
        for workload in 0..options.workloads {
            let name = format!("workload-{workload:06}");
            let items: Vec<String> = (0..PATHS)
                .map(|path| format!(r#"{{"path":"{cluster}/{name}/{path}","keys":["password"]}}"#))
                .collect();
            let document = format!(
                r#"{{"workloadName":"{name}","hashiSecrets":{{"mount":"secret","items":[{}]}}}}"#,
                items.join(",")
            );
            let id = format!("{cluster}:shop:{name}");
            transaction.execute(&insert, &[&id, &cluster, &document])?;
        }
    }
    Ok(transaction.commit()?)
}

/// Migrates workloads of a cluster until none is left.
fn work(client: &mut Client, cluster: &str) -> Result<u64> {
    let claim = client.prepare(CLAIM)?;
    let audit = client.prepare(AUDIT)?;
    let (switch, finish) = (client.prepare(SWITCH)?, client.prepare(FINISH)?);
    let mut migrated = 0;
    loop {
        let mut transaction = client.transaction()?;
        let Some(row) = transaction.query_opt(&claim, &[&cluster])? else { return Ok(migrated) };
        let id: String = row.get(0);
        transaction.execute(&audit, &[&cluster, &id, &"claim"])?;
        transaction.commit()?;
        for _ in 0..PATHS {
            thread::sleep(SOURCE);
        }
        for step in 0..STEPS {
            client.execute(&audit, &[&cluster, &id, &format!("step {step}")])?;
        }
        for (action, change) in [("switch", &switch), ("finish", &finish)] {
            let mut transaction = client.transaction()?;
            transaction.execute(change, &[&id])?;
            transaction.execute(&audit, &[&cluster, &id, &action])?;
            transaction.commit()?;
        }
        migrated += 1;
    }
}
