//! The measurements.
//!
//! Owns what each of them starts and compares. Does not own requests or processes.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::Command;
use std::time::Duration;

use super::compare::{Reached, alternate, median};
use super::report::{ComparedRow, FactRow};
use super::run::{GatewayBench, Round};
use super::serving::{Serving, WELL_KNOWN_KEY};
use super::signature::Signed;
use super::wire::{Request, ask, signer};
use super::work::{CONTAINER, DATABASE, Work};
use crate::Result;
use crate::child::measured_by;
use crate::meter::now;

/// Starts of which the median is told.
const STARTS: usize = 7;
/// How often a new server is tried, and how long it may take to answer.
const TRY: Duration = Duration::from_micros(200);
const START_MAX: Duration = Duration::from_secs(20);
/// How long a server is left alone before it counts as idle.
const IDLE: Duration = Duration::from_millis(500);
const CROWD: usize = 64;
const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Time from the start of the process on an empty folder to the first 200, and what it then holds in memory.
pub(super) fn starting(bench: &GatewayBench) -> Result<Vec<FactRow>> {
    let (mut times_ms, mut resident) = (Vec::new(), Vec::new());
    for start in 0..STARTS {
        let address = free_address()?;
        let mut command = Command::new(&bench.options.server);
        command.args(["serve", "--port", &address.port().to_string(), "--key", WELL_KNOWN_KEY]);
        command.arg("--data").arg(bench.path(&format!("start-{start}")));
        let started = now();
        let server = Serving::silent(&mut command, address)?;
        let status = wait_until_ready(&server)?;
        if status != 200 {
            return Err(format!("a new server answered {status}").into());
        }
        times_ms.push(started.elapsed().as_secs_f64() * 1e3);
        std::thread::sleep(IDLE);
        resident.push(mebibytes(server.resident_bytes()?.0));
    }
    Ok(vec![
        FactRow::limit("start on an empty folder to the first 200", "ms", median(times_ms), 100.0),
        FactRow::limit("memory when idle after that", "MiB", median(resident), 30.0),
    ])
}

/// Waits until a server answers a request for its health, and tells with which status: peers know no health.
pub(super) fn wait_until_ready(server: &Serving) -> Result<u16> {
    let until = now() + START_MAX;
    let request = format!("GET /ready HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    loop {
        match ask(server.address, request.as_bytes()) {
            Ok(answer) => return Ok(answer.status),
            Err(error) if now() > until => return Err(error),
            Err(_) => std::thread::sleep(TRY),
        }
    }
}

/// A port that was free a moment ago.
pub(super) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// The database and the container everything is in.
pub(super) fn create_container(server: &Serving) -> Result<()> {
    let signer = signer(server.address, WELL_KNOWN_KEY)?;
    let link = format!("dbs/{DATABASE}");
    let container = format!(
        r#"{{"id":"{CONTAINER}","partitionKey":{{"paths":["/customer"],"kind":"Hash","version":2}}}}"#
    );
    for (resource_type, link, path, body) in [
        ("dbs", "", "/dbs".to_owned(), format!(r#"{{"id":"{DATABASE}"}}"#)),
        ("colls", link.as_str(), format!("/{link}/colls"), container),
    ] {
        let request = Request {
            signed: Signed { verb: "POST", resource_type, link },
            path: &path,
            headers: &[("content-type", "application/json")],
            body: body.as_bytes(),
        };
        let mut bytes = Vec::new();
        request.write_to(&mut bytes, &server.address.to_string(), &signer);
        let answer = ask(server.address, &bytes)?;
        if answer.status != 201 {
            let body = String::from_utf8_lossy(&answer.body);
            return Err(format!("POST {path} was answered {}: {body}", answer.status).into());
        }
    }
    Ok(())
}

/// Our server against a bare one that answers what ours did.
pub(super) fn beside_bare(
    bench: &GatewayBench,
    server: &Serving,
    letter: char,
    work: Work,
) -> Result<ComparedRow> {
    let items = bench.options.items;
    let answer = server.answer(work, items)?;
    let recorded = bench.path(&format!("recorded-{letter}"));
    std::fs::write(&recorded, [answer.head.as_bytes(), &answer.body].concat())?;
    let bare = Serving::bare(bench.program(), &recorded)?;
    let round = bench.round(work, items);
    let compared =
        alternate(bench.options.rounds, || bench.load(server, round), || bench.load(&bare, round))?;
    let bytes = answer.head.len() + answer.body.len();
    Ok(ComparedRow::new(letter, work, compared, Some(bytes)))
}

/// Durable creates over HTTP against those of the engine alone, each on a new folder.
pub(super) fn creates(bench: &GatewayBench) -> Result<ComparedRow> {
    let creating = creating(bench);
    let mut folders = (0..).map(|number: u32| bench.path(&format!("creates-{number}")));
    let mut others = (0..).map(|number: u32| bench.path(&format!("engine-{number}")));
    let compared = alternate(
        bench.options.rounds,
        || {
            let folder = folders.next().unwrap_or_default();
            let server = Serving::ours(&bench.options.server, &folder)?;
            create_container(&server)?;
            bench.load(&server, creating)
        },
        || {
            let mut command = Command::new(bench.program());
            command.args(["part", "engine", "--folder"]).arg(others.next().unwrap_or_default());
            command.args(["--items", &creating.items.to_string()]);
            command.args(["--callers", &creating.connections.to_string()]);
            command.args(["--measured-ms", &creating.measured_ms.to_string()]);
            Reached::of(&measured_by(&mut command, "the engine's creates")?)
        },
    )?;
    Ok(ComparedRow::new('b', Work::Create, compared, None))
}

/// Without warming up: both sides begin with an empty store.
fn creating(bench: &GatewayBench) -> Round {
    let round = bench.round(Work::Create, bench.options.items * 2);
    Round { warm_up_ms: 0, measured_ms: round.measured_ms + round.warm_up_ms, ..round }
}

/// What the server with data holds while 64 connections read and query.
pub(super) fn memory(bench: &GatewayBench, server: &Serving) -> Result<FactRow> {
    for work in [Work::PointRead, Work::Query] {
        let round = bench.round(work, bench.options.items);
        bench.load(server, Round { connections: CROWD, ..round })?;
    }
    let (resident, peak) = server.resident_bytes()?;
    let what = "memory after load by 64 connections";
    Ok(FactRow::shown(what, mebibytes(resident), &format!("peak {:.0} MiB", mebibytes(peak))))
}

#[expect(clippy::cast_precision_loss, reason = "a number for people")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / MEBIBYTE
}
