//! Readers of the change feed: one follows all versions through every fault, one reads the latest versions at the end.
//!
//! Owns pages, positions and the parsing of entries. Does not own their comparison: see `feed`.

use model::Json;

use super::cell::{Cell, SLOTS};
use super::feed::Change;
use super::http::{Connection, Reply, Request};
use super::operation::{CELLS, CONTAINER, DATABASE, ITEMS, cell_of, version};

/// Follows the feed of all versions over the whole container, with one position for all of its physical partitions.
pub(crate) struct Follower {
    position: String,
    /// What was listed since the last comparison, for each logical partition.
    pub(crate) changes: Vec<Vec<Change>>,
    random: fastrand::Rng,
}

/// What one page of the feed was.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Page {
    Changes,
    Empty,
    /// There was no response; the position has not moved.
    Lost,
    /// The server failed because of itself; the position has not moved.
    Failed(String),
}

impl Follower {
    /// Begins now.
    pub(crate) fn start(connection: &mut Connection, seed: u64) -> Result<Self, String> {
        let changes = vec![Vec::new(); CELLS];
        let random = fastrand::Rng::with_seed(seed);
        let mut follower = Self { position: "*".to_owned(), changes, random };
        match follower.read_page(connection)? {
            Page::Empty => Ok(follower),
            page => Err(format!("the first page of the feed is {page:?}")),
        }
    }

    pub(crate) fn read_page(&mut self, connection: &mut Connection) -> Result<Page, String> {
        let items_max = self.random.u32(1..40).to_string();
        let headers = [
            ("a-im", "Full-Fidelity Feed"),
            ("x-ms-cosmos-changefeed-wire-format-version", "2021-09-15"),
            ("x-planisphere-previous-images", "true"),
            ("if-none-match", self.position.as_str()),
            ("x-ms-max-item-count", items_max.as_str()),
        ];
        let request = Request { verb: "GET", path: ITEMS, headers: &headers, body: "" };
        let Reply::Answer(answer) = connection.send(&request)? else { return Ok(Page::Lost) };
        let page = match answer.status {
            200 => Page::Changes,
            304 => Page::Empty,
            503 => return Ok(Page::Failed(format!("the change feed: {answer:?}"))),
            _ => return Err(format!("the change feed was answered with {answer:?}")),
        };
        if page == Page::Changes {
            for document in answer.documents()? {
                let (cell, change) = parse(&document)?;
                self.changes[cell].push(change);
            }
        }
        let position = answer.header("etag").ok_or("the change feed has no position")?;
        self.position = position.to_owned();
        Ok(page)
    }

    /// Reads to the end.
    pub(crate) fn catch_up(&mut self, connection: &mut Connection) -> Result<(), String> {
        loop {
            match self.read_page(connection)? {
                Page::Changes => {}
                Page::Empty => return Ok(()),
                lost => return Err(format!("a page of the change feed: {lost:?}")),
            }
        }
    }
}

fn parse(entry: &Json) -> Result<(usize, Change), String> {
    let wrong = || format!("not an entry of the change feed: {entry}");
    let part = |name: &str| entry.get(name).filter(|item| item.get("id").is_some());
    let item = |name: &str| part(name).map(version).transpose();
    let (current, previous) = (item("current")?, item("previous")?);
    let cell = cell_of(part("current").or_else(|| part("previous")).ok_or_else(wrong)?)?;
    let metadata = entry.get("metadata").ok_or_else(wrong)?;
    let slot = current.or(previous).ok_or_else(wrong)?.0;
    let change = Change {
        slot,
        current: current.map(|(_, version)| version),
        previous: previous.map(|(_, version)| version),
        lsn: metadata.get("lsn").and_then(Json::as_i64).ok_or_else(wrong)?,
    };
    let operation = metadata.get("operationType").and_then(Json::as_str);
    let expected = match (&change.previous, &change.current) {
        (None, Some(_)) => "create",
        (Some(_), Some(_)) => "replace",
        _ => "delete",
    };
    if operation != Some(expected) {
        return Err(format!("{operation:?} is listed where {expected} has happened: {entry}"));
    }
    Ok((cell, change))
}

/// The numbers of the physical partitions.
pub(crate) fn partitions(connection: &mut Connection) -> Result<Vec<i64>, String> {
    let path = format!("/_planisphere/partitions/{DATABASE}/{CONTAINER}");
    let request = Request { verb: "GET", path: &path, headers: &[], body: "" };
    let answer = connection.ask(&request)?;
    let json = answer.json()?;
    let listed = json.get("partitions").and_then(Json::as_array);
    let listed = listed.ok_or_else(|| format!("no partitions in {answer:?}"))?;
    Ok(listed.iter().filter_map(|one| one.get("number").and_then(Json::as_i64)).collect())
}

/// Reads the feed of latest versions of every physical partition from its beginning: each item once, as it is now.
pub(crate) fn read_latest(connection: &mut Connection) -> Result<Vec<Cell>, String> {
    let mut cells = vec![[None; SLOTS]; CELLS];
    for partition in partitions(connection)? {
        let partition = partition.to_string();
        let mut position = None;
        loop {
            let mut headers = vec![
                ("a-im", "Incremental Feed"),
                ("x-ms-documentdb-partitionkeyrangeid", partition.as_str()),
                ("x-ms-max-item-count", "3"),
            ];
            headers.extend(position.as_deref().map(|position| ("if-none-match", position)));
            let request = Request { verb: "GET", path: ITEMS, headers: &headers, body: "" };
            let answer = connection.ask(&request)?;
            match answer.status {
                200 => {}
                304 => break,
                _ => return Err(format!("the change feed was answered with {answer:?}")),
            }
            for document in answer.documents()? {
                let (slot, version) = version(&document)?;
                let listed = &mut cells[cell_of(&document)?][slot];
                if listed.replace(version).is_some() {
                    return Err(format!("{document} is listed twice by the latest versions"));
                }
            }
            position = answer.header("etag").map(ToOwned::to_owned);
        }
    }
    Ok(cells)
}
