//! PostgreSQL: items as jsonb in one table of a scratch server.
//!
//! Owns the table and the statement. One backend process does the scan, and its processor time is read from the
//! kernel. Does not own the server.

use std::io::Write;

use postgres::Client;

use super::{PeerFigure, Scanning};
use crate::meter::cpu_of_process;
use crate::scratch_server::{NOT_INSTALLED, ScratchServer};
use crate::{Result, progress};

/// Memory for pages, like the engine's block cache; and nothing that guards against a power cut.
const SETTINGS: [&str; 5] = [
    "shared_buffers=256MB",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
];
/// One process, no compilation: what is measured is the scan of jsonb on one core.
const SESSION: &str = "SET max_parallel_workers_per_gather = 0; SET jit = off";
const SCAN: &str = "SELECT item->>'id' FROM items WHERE item->>'remark' = $1";

/// Fills a table and scans it; says what to install when there is no PostgreSQL.
pub(in crate::queries) fn postgresql(scanning: &Scanning) -> Result<PeerFigure> {
    let Some(server) = ScratchServer::start(&SETTINGS)? else {
        return Ok(PeerFigure::Absent(NOT_INSTALLED.to_owned()));
    };
    let mut client = server.connect()?;
    client.batch_execute("CREATE TABLE items (item jsonb NOT NULL)")?;
    fill(&mut client, scanning)?;
    client.batch_execute("VACUUM ANALYZE items")?;
    client.batch_execute(SESSION)?;
    progress::step("PostgreSQL: scanning");
    let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[])?.get(0);
    let statement = client.prepare(SCAN)?;
    let before = cpu_of_process(&backend.to_string())?;
    for _ in 0..scanning.repeats {
        let found = client.query(&statement, &[&scanning.remark])?.len() as u64;
        if found != scanning.rows {
            return Err(format!("PostgreSQL found {found} rows, not {}", scanning.rows).into());
        }
    }
    let cpu = cpu_of_process(&backend.to_string())?.saturating_sub(before);
    Ok(PeerFigure::of(scanning.bytes(), cpu))
}

fn fill(client: &mut Client, scanning: &Scanning) -> Result<()> {
    let bar = progress::bar(scanning.texts.len() as u64, "PostgreSQL: loading");
    let mut copy = client.copy_in("COPY items FROM STDIN")?;
    for text in scanning.texts {
        // The text form of COPY takes a backslash for an escape; JSON of ours has no raw tab or line end.
        copy.write_all(text.replace('\\', "\\\\").as_bytes())?;
        copy.write_all(b"\n")?;
        bar.inc(1);
    }
    copy.finish()?;
    bar.finish_and_clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_finds_what_is_there_or_says_what_to_install() {
        let texts: Vec<String> =
            (0..50).map(|id| format!(r#"{{"id":"{id}\\u000a","remark":"r{}"}}"#, id % 5)).collect();
        let scanning = Scanning { texts: &texts, remark: "r3".to_owned(), rows: 10, repeats: 2 };
        let figure = postgresql(&scanning).unwrap();
        let is_absent = figure == PeerFigure::Absent(NOT_INSTALLED.to_owned());
        assert!(is_absent || matches!(figure, PeerFigure::MegabytesPerSecond(_)), "{figure:?}");
    }
}
