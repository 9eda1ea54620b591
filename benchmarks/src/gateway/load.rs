//! The load generator: a number of connections, each sending its next request when the previous one is answered.
//!
//! Runs on one thread with prepared requests, so that it costs less than any server; it prints its own CPU time as
//! proof.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use super::framing::ResponseFrame;
use super::wire::signer;
use super::work::{LoadTarget, RequestKind, RequestPool};
use crate::meter::{cpu_of_process, now};
use crate::{Error, Result};

/// The server, the requests and the duration.
#[derive(Clone, Debug, Args)]
pub struct LoadArguments {
    /// Address of the server.
    #[arg(long)]
    pub(super) address: SocketAddr,
    /// The account key in base64.
    #[arg(long)]
    pub(super) key: String,
    /// Kind of requests.
    #[arg(long)]
    pub(super) work: RequestKind,
    /// Number of connections.
    #[arg(long)]
    pub(super) connections: usize,
    /// Number of items that exist, or that are created.
    #[arg(long)]
    pub(super) items: u64,
    /// Number of the first created item.
    #[arg(long, default_value_t = 0)]
    pub(super) first: u64,
    /// Warm-up in milliseconds.
    #[arg(long)]
    pub(super) warm_up_ms: u64,
    /// Measured time in milliseconds.
    #[arg(long)]
    pub(super) measured_ms: u64,
    /// Process id of the server, to measure its CPU time.
    #[arg(long)]
    pub(super) process: u32,
}

/// Shared by all connections, which are tasks of one thread.
struct LoadState {
    pool: RequestPool,
    next: Cell<usize>,
    times: LoadTimes,
}

/// The answers of a measured period.
pub(super) struct LoadTimes {
    pub(super) measured_from: Instant,
    pub(super) until: Instant,
    answered: Cell<u64>,
    bytes: Cell<u64>,
    last_answer: Cell<Instant>,
    /// Latencies in microseconds.
    times_us: RefCell<Vec<u32>>,
}

impl LoadArguments {
    /// Loads the server and prints the measurements.
    pub(super) fn run(&self, out: &mut impl Write) -> Result<()> {
        let signer = signer(self.address, &self.key)?;
        let (items, first) = (self.items, self.first);
        let target = LoadTarget { address: self.address, signer: &signer, items, first };
        let pool = self.work.pool(&target)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        LocalSet::new().block_on(&runtime, self.generate(pool, out))
    }

    async fn generate(&self, pool: RequestPool, out: &mut impl Write) -> Result<()> {
        let streams = connect(self.address, self.connections).await?;
        let times = LoadTimes::new(self.warm_up_ms, self.measured_ms);
        let shared = Rc::new(LoadState { next: Cell::new(0), pool, times });
        let tasks: Vec<_> = streams
            .into_iter()
            .map(|stream| tokio::task::spawn_local(connection(stream, Rc::clone(&shared))))
            .collect();
        let warm_up = Duration::from_millis(self.warm_up_ms);
        tokio::time::sleep(warm_up).await;
        let (theirs, ours) = (self.server_cpu()?, cpu_of_process("self")?);
        for task in tasks {
            task.await??;
        }
        let theirs = self.server_cpu()?.saturating_sub(theirs);
        let ours = cpu_of_process("self")?.saturating_sub(ours);
        // An exhausted pool ends the measurement early.
        let ran_out = !shared.pool.is_endless && shared.next.get() >= shared.pool.len();
        shared.times.report(ran_out, (theirs, ours), out)
    }

    fn server_cpu(&self) -> Result<Duration> {
        cpu_of_process(&self.process.to_string())
    }
}

async fn connect(address: SocketAddr, connections: usize) -> Result<Vec<TcpStream>> {
    let mut streams = Vec::with_capacity(connections);
    for _ in 0..connections {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        streams.push(stream);
    }
    Ok(streams)
}

async fn connection(mut stream: TcpStream, shared: Rc<LoadState>) -> Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let place = shared.next.get();
        shared.next.set(place + 1);
        let started = now();
        let Some(request) = shared.pool.request(place).filter(|_| started < shared.times.until)
        else {
            return Ok(());
        };
        stream.write_all(request).await?;
        let frame = read_response(&mut stream, &mut buffer).await?;
        if frame.status != shared.pool.status {
            let text = buffer.get(..frame.bytes).unwrap_or_default();
            let text = String::from_utf8_lossy(text);
            return Err(format!("the server answered {}: {text}", frame.status).into());
        }
        shared.times.record(started, now(), frame.bytes);
    }
}

/// Reads one response into the buffer, which grows to the largest one.
async fn read_response(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<ResponseFrame> {
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            buffer.resize(buffer.len() * 2, 0);
        }
        let count = stream.read(buffer.get_mut(filled..).unwrap_or_default()).await?;
        if count == 0 {
            return Err(Error::from("the server hung up"));
        }
        filled += count;
        if let Some(frame) = ResponseFrame::find(buffer.get(..filled).unwrap_or_default())? {
            return Ok(frame);
        }
    }
}

impl LoadTimes {
    pub(super) fn new(warm_up_ms: u64, measured_ms: u64) -> Self {
        let measured_from = now() + Duration::from_millis(warm_up_ms);
        Self {
            measured_from,
            until: measured_from + Duration::from_millis(measured_ms),
            answered: Cell::new(0),
            bytes: Cell::new(0),
            last_answer: Cell::new(measured_from),
            times_us: RefCell::new(Vec::with_capacity(1 << 20)),
        }
    }

    /// Counts an answer, if it belongs to the measured period.
    pub(super) fn record(&self, started: Instant, ended: Instant, bytes: usize) {
        if started < self.measured_from || ended > self.until {
            return;
        }
        let time = u32::try_from((ended - started).as_micros()).unwrap_or(u32::MAX);
        self.times_us.borrow_mut().push(time);
        self.answered.set(self.answered.get() + 1);
        self.bytes.set(self.bytes.get() + bytes as u64);
        self.last_answer.set(ended);
    }

    /// Prints the measurements, with the CPU time of the server and of this process.
    pub(super) fn report(
        &self,
        ran_out: bool,
        (theirs, ours): (Duration, Duration),
        out: &mut impl Write,
    ) -> Result<()> {
        let mut times = self.times_us.borrow_mut();
        times.sort_unstable();
        let answered = self.answered.get();
        if answered == 0 {
            return Err("no request was answered in time".into());
        }
        let end = if ran_out { self.last_answer.get() } else { self.until };
        let wall = (end - self.measured_from).as_micros();
        writeln!(out, "answered={answered}\nwall_us={wall}\nbytes={}", self.bytes.get())?;
        let (p50, p99) = (percentile(&times, 50), percentile(&times, 99));
        writeln!(out, "p50_us={p50}\np99_us={p99}")?;
        writeln!(out, "server_cpu_us={}\nload_cpu_us={}", theirs.as_micros(), ours.as_micros())?;
        Ok(())
    }
}

/// A percentile of sorted values.
pub(super) fn percentile(sorted_us: &[u32], hundredths: usize) -> u32 {
    let place = sorted_us.len().saturating_sub(1) * hundredths / 100;
    sorted_us.get(place).copied().unwrap_or_default()
}
