//! The measurements of the gateway.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::Command;
use std::time::Duration;

use super::compare::{LoadResult, alternate, median};
use super::report::{ComparedRow, FactRow, RowTarget};
use super::run::{GatewayBench, LoadRound};
use super::serving::{BenchServer, WELL_KNOWN_KEY};
use super::signature::SignedRequest;
use super::wire::{RawRequest, send, signer};
use super::work::{CONTAINER, DATABASE, RequestKind};
use crate::Result;
use crate::child::measured_by;
use crate::meter::now;

/// Number of starts; the median is reported.
const STARTS: usize = 7;
/// How often a new server is polled, and how long it may take to start.
const TRY: Duration = Duration::from_micros(200);
const START_MAX: Duration = Duration::from_secs(20);
/// Pause before a server counts as idle.
const IDLE: Duration = Duration::from_millis(500);
const CROWD: usize = 64;
const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Time from the start on an empty folder to the first 200 response, and the memory then used.
pub(super) fn starting(bench: &GatewayBench) -> Result<Vec<FactRow>> {
    let (mut times_ms, mut resident) = (Vec::new(), Vec::new());
    for start in 0..STARTS {
        let address = free_address()?;
        let mut command = Command::new(&bench.options.server);
        command.args(["serve", "--port", &address.port().to_string(), "--key", WELL_KNOWN_KEY]);
        command.arg("--data").arg(bench.path(&format!("start-{start}")));
        let started = now();
        let server = BenchServer::silent(&mut command, address)?;
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

/// Waits until a server answers a health request; returns the status, because peers have no such endpoint.
pub(super) fn wait_until_ready(server: &BenchServer) -> Result<u16> {
    let until = now() + START_MAX;
    let request = format!("GET /ready HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    loop {
        match send(server.address, request.as_bytes()) {
            Ok(answer) => return Ok(answer.status),
            Err(error) if now() > until => return Err(error),
            Err(_) => std::thread::sleep(TRY),
        }
    }
}

/// An address with a free port.
pub(super) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// Creates the database and the container.
pub(super) fn create_container(server: &BenchServer) -> Result<()> {
    let signer = signer(server.address, WELL_KNOWN_KEY)?;
    let link = format!("dbs/{DATABASE}");
    let container = format!(
        r#"{{"id":"{CONTAINER}","partitionKey":{{"paths":["/customer"],"kind":"Hash","version":2}}}}"#
    );
    for (resource_type, link, path, body) in [
        ("dbs", "", "/dbs".to_owned(), format!(r#"{{"id":"{DATABASE}"}}"#)),
        ("colls", link.as_str(), format!("/{link}/colls"), container),
    ] {
        let request = RawRequest {
            signed: SignedRequest { verb: "POST", resource_type, link },
            path: &path,
            headers: &[("content-type", "application/json")],
            body: body.as_bytes(),
        };
        let mut bytes = Vec::new();
        request.write_to(&mut bytes, &server.address.to_string(), &signer);
        let answer = send(server.address, &bytes)?;
        if answer.status != 201 {
            let body = String::from_utf8_lossy(&answer.body);
            return Err(format!("POST {path} was answered {}: {body}", answer.status).into());
        }
    }
    Ok(())
}

/// Our server against the baseline server, which replays our response.
pub(super) fn beside_bare(
    bench: &GatewayBench,
    server: &BenchServer,
    letter: char,
    (work, ratio_min): (RequestKind, Option<f64>),
) -> Result<ComparedRow> {
    let items = bench.options.items;
    let answer = server.answer(work, items)?;
    let recorded = bench.path(&format!("recorded-{letter}"));
    std::fs::write(&recorded, [answer.head.as_bytes(), &answer.body].concat())?;
    let bare = BenchServer::bare(bench.program(), &recorded)?;
    let round = bench.round(work, items);
    let compared =
        alternate(bench.options.rounds, || bench.load(server, round), || bench.load(&bare, round))?;
    let bytes = answer.head.len() + answer.body.len();
    let target = RowTarget { beside: "bare server", ratio_min };
    Ok(ComparedRow::new(letter, work, compared, target).with_answer_bytes(bytes))
}

/// Durable creates over HTTP against the engine alone, each on a new folder.
pub(super) fn creates(bench: &GatewayBench) -> Result<ComparedRow> {
    let creating = creating(bench);
    let mut ours = creates_on_new_folders(bench, "creates");
    let mut others = (0..).map(|number: u32| bench.path(&format!("engine-{number}")));
    let compared = alternate(bench.options.rounds, &mut ours, || {
        let mut command = Command::new(bench.program());
        command.args(["process", "engine", "--folder"]).arg(others.next().unwrap_or_default());
        command.args(["--items", &creating.items.to_string()]);
        command.args(["--callers", &creating.connections.to_string()]);
        command.args(["--measured-ms", &creating.measured_ms.to_string()]);
        LoadResult::from_numbers(&measured_by(&mut command, "the engine's creates")?)
    })?;
    let target = RowTarget { beside: "engine alone", ratio_min: Some(0.5) };
    Ok(ComparedRow::new('b', RequestKind::Create, compared, target))
}

/// Durable creates over HTTP, each call on a new folder.
pub(super) fn creates_on_new_folders(
    bench: &GatewayBench,
    name: &'static str,
) -> impl FnMut() -> Result<LoadResult> {
    let mut folders = (0..).map(move |number: u32| bench.path(&format!("{name}-{number}")));
    move || {
        let folder = folders.next().unwrap_or_default();
        let server = BenchServer::ours(&bench.options.server, &folder)?;
        create_container(&server)?;
        bench.load(&server, creating(bench))
    }
}

/// No warm-up: both sides start with an empty store.
pub(super) fn creating(bench: &GatewayBench) -> LoadRound {
    let round = bench.round(RequestKind::Create, bench.options.items * 2);
    LoadRound { warm_up_ms: 0, measured_ms: round.measured_ms + round.warm_up_ms, ..round }
}

/// Memory of the server with data while 64 connections read and query.
pub(super) fn memory(bench: &GatewayBench, server: &BenchServer) -> Result<FactRow> {
    for work in [RequestKind::PointRead, RequestKind::Query] {
        let round = bench.round(work, bench.options.items);
        bench.load(server, LoadRound { connections: CROWD, ..round })?;
    }
    let (resident, peak) = server.resident_bytes()?;
    let what = "memory after load by 64 connections";
    Ok(FactRow::shown(what, mebibytes(resident), &format!("peak {:.0} MiB", mebibytes(peak))))
}

#[expect(clippy::cast_precision_loss, reason = "a number for people")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / MEBIBYTE
}
