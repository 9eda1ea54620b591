//! SQLite: items as JSON text in one table, in memory of the page cache.
//!
//! Owns the table and the statement. The database is a file in a scratch folder.

use rusqlite::{Connection, params};

use super::{PeerFigure, Scanning};
use crate::meter::TimeMeter;
use crate::{Result, progress};

const CACHE_KIBIBYTES: i64 = 256 * 1024;
const SCAN: &str = "SELECT json_extract(item, '$.id') FROM items \
                    WHERE json_extract(item, '$.remark') = ?1";

/// Fills a table and scans it.
pub(in crate::queries) fn sqlite(scanning: &Scanning) -> Result<PeerFigure> {
    let folder = tempfile::Builder::new().prefix("benchmarks-sqlite").tempdir()?;
    let mut connection = Connection::open(folder.path().join("items.db"))?;
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    connection.execute("CREATE TABLE items (item TEXT NOT NULL)", [])?;
    fill(&mut connection, scanning)?;
    progress::step("SQLite: scanning");
    let mut statement = connection.prepare(SCAN)?;
    let meter = TimeMeter::start()?;
    for _ in 0..scanning.repeats {
        let mut rows = statement.query(params![scanning.remark])?;
        let mut found = 0;
        while rows.next()?.is_some() {
            found += 1;
        }
        if found != scanning.rows {
            return Err(format!("SQLite found {found} rows, not {}", scanning.rows).into());
        }
    }
    Ok(PeerFigure::of(scanning.bytes(), meter.stop()?.cpu))
}

fn fill(connection: &mut Connection, scanning: &Scanning) -> Result<()> {
    let bar = progress::bar(scanning.texts.len() as u64, "SQLite: loading");
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO items (item) VALUES (?1)")?;
        for text in scanning.texts {
            insert.execute(params![text])?;
            bar.inc(1);
        }
    }
    transaction.commit()?;
    bar.finish_and_clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_finds_what_is_there_and_notices_what_is_not() {
        let texts: Vec<String> =
            (0..50).map(|id| format!(r#"{{"id":"{id}","remark":"r{}"}}"#, id % 5)).collect();
        let mut scanning =
            Scanning { texts: &texts, remark: "r3".to_owned(), rows: 10, repeats: 2 };
        assert!(matches!(sqlite(&scanning).unwrap(), PeerFigure::MegabytesPerSecond(_)));
        scanning.rows = 11;
        assert!(sqlite(&scanning).is_err());
    }
}
