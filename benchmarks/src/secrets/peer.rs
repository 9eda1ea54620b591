//! PostgreSQL: the same storage work, claims by `FOR UPDATE SKIP LOCKED`.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use postgres::Client;

use super::ours::require;
use super::rollbacks::{PAUSE, ROLLBACKS_MAX, Rollbacks, wave_workloads};
use super::run::{PATHS, SOURCE, STEPS, SecretsSize};
use super::side::SecretsSide;
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
const ROLL_BACK: &str = "
UPDATE workloads SET status = 'ROLLED-BACK', backend = 'hashi' WHERE id = $1 AND status = 'MIGRATED'";
const FINISH: &str = "
UPDATE workloads SET status = 'MIGRATED', claimed_by = NULL, claim_until = NULL
WHERE id = $1 AND status = 'IN-PROGRESS'";

/// Runs it; what to install when there is no PostgreSQL.
pub(super) fn run(
    size: SecretsSize,
    workers: usize,
) -> Result<std::result::Result<SecretsSide, String>> {
    let Some(server) = ScratchServer::start(&SERVER)? else {
        return Ok(Err(NOT_INSTALLED.to_owned()));
    };
    let mut client = server.connect()?;
    client.batch_execute(TABLES)?;
    for cluster in 0..size.clusters {
        fill(&mut client, &name(cluster), 0..size.workloads)?;
    }
    client.batch_execute("VACUUM ANALYZE")?;
    let mut hands = Vec::new();
    for cluster in 0..size.clusters {
        for _ in 0..workers {
            hands.push((name(cluster), server.connect()?));
        }
    }
    let cpu = || Ok::<_, Error>(server.cpu()? + cpu_of_process("self")?);
    let before = (now(), cpu()?);
    require(work_all(&mut hands)?, size.total())?;
    let wall = now().saturating_duration_since(before.0);
    let cpu = cpu()?.saturating_sub(before.1);
    let first = name(0);
    fill(&mut client, &first, size.workloads..size.workloads + wave_workloads(size))?;
    hands.retain(|(cluster, _)| *cluster == first);
    let is_over = AtomicBool::new(false);
    let rollbacks = thread::scope(|scope| {
        let wave = scope.spawn(|| {
            let migrated = work_all(&mut hands);
            is_over.store(true, Ordering::SeqCst);
            migrated
        });
        let count = ROLLBACKS_MAX.min(size.workloads);
        let taken = roll_back_some(&mut client, &first, count, &is_over)?;
        let migrated = wave.join().map_err(|_| Error::from("a thread panicked"))??;
        require(migrated, wave_workloads(size))?;
        Ok::<_, Error>(Rollbacks::new(&taken))
    })?;
    Ok(Ok(SecretsSide { wall, cpu, rollbacks }))
}

fn name(cluster: usize) -> String {
    format!("cluster-{cluster:02}")
}

/// Every connection works until its cluster has nothing left. Returns how many workloads were migrated.
fn work_all(hands: &mut [(String, Client)]) -> Result<u64> {
    thread::scope(|scope| {
        let works: Vec<_> = hands
            .iter_mut()
            .map(|(cluster, client)| scope.spawn(move || work(client, cluster)))
            .collect();
        let ended = works
            .into_iter()
            .map(|work| work.join().map_err(|_| Error::from("a connection's thread panicked"))?);
        ended.sum::<Result<u64>>()
    })
}

/// Rolls migrated workloads back, one after another, until the workers are done.
fn roll_back_some(
    client: &mut Client,
    cluster: &str,
    count: usize,
    is_over: &AtomicBool,
) -> Result<Vec<Duration>> {
    let (roll_back, audit) = (client.prepare(ROLL_BACK)?, client.prepare(AUDIT)?);
    let mut taken = Vec::new();
    for number in 0..count {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let id = id(cluster, number);
        let begin = now();
        // All paths of a rollback are asked for at once.
        thread::sleep(SOURCE);
        let mut transaction = client.transaction()?;
        if transaction.execute(&roll_back, &[&id])? != 1 {
            return Err(format!("{id} was not rolled back").into());
        }
        transaction.execute(&audit, &[&cluster, &id, &"roll back"])?;
        transaction.commit()?;
        taken.push(now().saturating_duration_since(begin));
        thread::sleep(PAUSE);
    }
    Ok(taken)
}

fn id(cluster: &str, workload: usize) -> String {
    format!("{cluster}:shop:workload-{workload:06}")
}

fn fill(client: &mut Client, cluster: &str, numbers: Range<usize>) -> Result<()> {
    let mut transaction = client.transaction()?;
    let insert = transaction.prepare(
        "INSERT INTO workloads (id, cluster, status, backend, document)
         VALUES ($1, $2, 'PENDING', 'hashi', $3::text::jsonb)",
    )?;
    for number in numbers {
        let name = format!("workload-{number:06}");
        let items: Vec<String> = (0..PATHS)
            .map(|path| {
                format!(r#"{{"path":"team/{name}/service-{path:02}","keys":["password"]}}"#)
            })
            .collect();
        let document = format!(
            r#"{{"workloadName":"{name}","hashiSecrets":{{"mount":"secret","items":[{}]}}}}"#,
            items.join(",")
        );
        transaction.execute(&insert, &[&id(cluster, number), &cluster, &document])?;
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
