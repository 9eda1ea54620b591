//! The command line: runs the measurements, prints the tables and writes them to files.

mod arguments;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::{EventsArguments, ScriptArguments};
use benchmarks::{
    BenchProcess, ChatOptions, ChildTask, FanOutOptions, GatewayOptions, NotificationsOptions,
    Options, QueryOptions, Result, SecretsOptions, SecretsSize, run, run_chat, run_child,
    run_fan_out, run_gateway, run_notifications, run_part, run_queries, run_secrets,
};
use clap::{Args, Parser, Subcommand};

/// The same allocator as the server binary, so that all sides are measured under equal conditions.
#[cfg(not(feature = "wipe-memory"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// That of a server with the secrets migration tracker.
#[cfg(feature = "wipe-memory")]
#[global_allocator]
static ALLOCATOR: zeroizing_alloc::ZeroAlloc<mimalloc::MiMalloc> =
    zeroizing_alloc::ZeroAlloc(mimalloc::MiMalloc);

/// Benchmark the embedded engine against the raw storage crate; subcommands benchmark queries, gateway and
/// notifications
#[derive(Parser)]
struct BenchArguments {
    /// Items of the data set
    #[arg(long, default_value_t = 200_000)]
    items: u64,
    /// Rounds of each side; the table shows medians.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Letters of the measurements to run, for example `a,b`.
    #[arg(long, value_delimiter = ',')]
    only: Vec<char>,
    /// Where to write the table, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
    #[command(subcommand)]
    task: Option<BenchTask>,
}

/// Another benchmark.
#[derive(Subcommand)]
enum BenchTask {
    /// Benchmark queries at several data sizes, against other databases
    Queries {
        /// Sizes of the data set; multiples of 100.
        #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000])]
        items: Vec<u64>,
        /// Rounds of each measurement; the tables show medians.
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Numbers of the measurements to run, for example `1,2`.
        #[arg(long, value_delimiter = ',')]
        only: Vec<u8>,
        /// Where to write the tables, as Markdown.
        #[arg(long)]
        out: Option<PathBuf>,
        /// Where to keep the loaded stores, so that the next run need not load them.
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Benchmark the gateway over HTTP, against a baseline server and other servers of the same protocol
    Gateway(GatewayArguments),
    /// Benchmark the fan-out of a SignalR hub, against bare WebSockets and Node
    FanOut(FanOutArguments),
    /// Benchmark the chat with storage and without, against bare WebSockets and Node with Redis
    Chat(ChatArguments),
    /// Benchmark the event store, against UmaDB and a plain table of PostgreSQL
    Events(EventsArguments),
    /// Benchmark the notifications system, against the same storage work on PostgreSQL
    Notifications(NotificationsArguments),
    /// Benchmark stored procedures and user-defined functions, against a batch and a plain query
    Scripts(ScriptArguments),
    /// Benchmark the secrets migration tracker, against the same storage work on PostgreSQL
    Secrets(SecretsArguments),
    /// Runs one process of a gateway benchmark.
    #[command(hide = true)]
    Process {
        #[command(subcommand)]
        part: BenchProcess,
    },
    /// Runs one task and prints what it measured.
    #[command(hide = true)]
    Child {
        #[arg(long)]
        task: ChildTask,
        #[arg(long)]
        folder: PathBuf,
        #[arg(long)]
        items: u64,
        #[arg(long)]
        tape: Option<PathBuf>,
    },
}

/// How the gateway is measured.
#[derive(Args)]
struct GatewayArguments {
    /// Items of the data set; a multiple of 100.
    #[arg(long, default_value_t = 10_000)]
    items: u64,
    /// Rounds of each side; the tables show medians.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long one round is measured, in milliseconds.
    #[arg(long, default_value_t = 1_500)]
    measured_ms: u64,
    /// Connections, and callers of the engine.
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// The binary whose server is measured; without it the one beside this program.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Leave out other servers of the same protocol, which have to be installed.
    #[arg(long)]
    no_peers: bool,
    /// Where to write the tables, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// How the fan-out is measured.
#[derive(Args)]
struct FanOutArguments {
    /// Idle sockets.
    #[arg(long, default_value_t = 10_000)]
    idle: usize,
    /// Sockets in rooms.
    #[arg(long, default_value_t = 1_000)]
    members: usize,
    /// Messages into each room.
    #[arg(long, default_value_t = 200)]
    messages: usize,
    /// Leave out Node, which has to be installed.
    #[arg(long)]
    no_peers: bool,
    /// Where to write the table, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl FanOutArguments {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let program = std::env::current_exe()?;
        let peers = program.parent().and_then(Path::parent).map(|target| target.join("peers"));
        let report = run_fan_out(&FanOutOptions {
            idle: self.idle,
            members: self.members,
            messages: self.messages,
            program,
            peers: peers.filter(|_| !self.no_peers),
        })?;
        writeln!(out, "{}", report.tables())?;
        match self.out {
            Some(path) => Ok(std::fs::write(path, report.page())?),
            None => Ok(()),
        }
    }
}

/// How the chat is measured.
#[derive(Args)]
struct ChatArguments {
    /// Idle connections.
    #[arg(long, default_value_t = 10_000)]
    idle: usize,
    /// Connections in rooms.
    #[arg(long, default_value_t = 1_000)]
    members: usize,
    /// Messages into each room.
    #[arg(long, default_value_t = 50)]
    messages: usize,
    /// Messages of the rooms with a history.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 10_000, 1_000_000])]
    histories: Vec<u64>,
    /// Leave out Node and Redis, which have to be installed.
    #[arg(long)]
    no_peers: bool,
    /// Where to write the tables, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl ChatArguments {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let program = std::env::current_exe()?;
        let peers = program.parent().and_then(Path::parent).map(|target| target.join("peers"));
        let report = run_chat(&ChatOptions {
            idle: self.idle,
            members: self.members,
            messages: self.messages,
            histories: self.histories,
            program,
            peers: peers.filter(|_| !self.no_peers),
        })?;
        writeln!(out, "{}", report.tables())?;
        match self.out {
            Some(path) => Ok(std::fs::write(path, report.page())?),
            None => Ok(()),
        }
    }
}

/// How the notifications system is loaded.
#[derive(Args)]
struct NotificationsArguments {
    /// Users; at least 10.
    #[arg(long, default_value_t = 10_000)]
    users: u64,
    /// Events of the backlog; a multiple of 10. A tenth as many come afterwards, at a pace.
    #[arg(long, default_value_t = 200_000)]
    events: u64,
    /// Leave out PostgreSQL, which has to be installed.
    #[arg(long)]
    no_peers: bool,
    /// Where to write the tables, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// How the tracker is loaded.
#[derive(Args)]
struct SecretsArguments {
    /// Clusters and workloads of each, one run after another.
    #[arg(long, value_delimiter = ',', default_value = "1x10000,20x5000")]
    sizes: Vec<SecretsSize>,
    /// Workers of each cluster.
    #[arg(long, default_value_t = 4)]
    workers: usize,
    /// Leave out PostgreSQL, which has to be installed.
    #[arg(long)]
    no_peers: bool,
    /// A sentence for the page, such as what else ran on the machine.
    #[arg(long, default_value = "")]
    note: String,
    /// Where to write the tables, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl SecretsArguments {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let report = run_secrets(&SecretsOptions {
            sizes: self.sizes,
            workers: self.workers,
            with_peer: !self.no_peers,
            note: self.note,
        })?;
        writeln!(out, "{}", report.tables())?;
        match self.out {
            Some(path) => Ok(std::fs::write(path, report.page())?),
            None => Ok(()),
        }
    }
}

impl NotificationsArguments {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let report = run_notifications(&NotificationsOptions {
            users: self.users,
            events: self.events,
            with_peer: !self.no_peers,
        })?;
        writeln!(out, "{}", report.tables())?;
        match self.out {
            Some(path) => Ok(std::fs::write(path, report.page())?),
            None => Ok(()),
        }
    }
}

impl GatewayArguments {
    fn run(self, out: &mut impl Write) -> Result<()> {
        let program = std::env::current_exe()?;
        let beside = program.with_file_name("planisphere");
        let peers = program.parent().and_then(Path::parent).map(|target| target.join("peers"));
        let report = run_gateway(&GatewayOptions {
            items: self.items,
            rounds: self.rounds,
            measured_ms: self.measured_ms,
            connections: self.connections,
            server: self.server.unwrap_or(beside),
            program,
            peers: peers.filter(|_| !self.no_peers),
        })?;
        writeln!(out, "{}", report.tables())?;
        match self.out {
            Some(path) => Ok(std::fs::write(path, report.page())?),
            None => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    match start(BenchArguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: BenchArguments) -> Result<()> {
    let mut out = std::io::stdout();
    match arguments.task {
        Some(BenchTask::Child { task, folder, items, tape }) => {
            return run_child(task, &folder, items, tape.as_deref(), &mut out);
        }
        Some(BenchTask::Queries { items, rounds, only, out: path, data }) => {
            let program = std::env::current_exe()?;
            let report = run_queries(&QueryOptions { items, rounds, only, data, program })?;
            writeln!(out, "{}", report.tables())?;
            if let Some(path) = path {
                std::fs::write(path, report.page())?;
            }
            return Ok(());
        }
        Some(BenchTask::Gateway(arguments)) => return arguments.run(&mut out),
        Some(BenchTask::FanOut(arguments)) => return arguments.run(&mut out),
        Some(BenchTask::Chat(arguments)) => return arguments.run(&mut out),
        Some(BenchTask::Events(arguments)) => return arguments.run(&mut out),
        Some(BenchTask::Notifications(arguments)) => return arguments.run(&mut out),
        Some(BenchTask::Scripts(arguments)) => return arguments.run(&mut out),
        Some(BenchTask::Secrets(arguments)) => return arguments.run(&mut out),
        Some(BenchTask::Process { part }) => return run_part(part, &mut out),
        None => {}
    }
    let report = run(&Options {
        items: arguments.items,
        rounds: arguments.rounds,
        only: arguments.only,
        program: std::env::current_exe()?,
    })?;
    writeln!(out, "{}", report.table())?;
    if let Some(path) = arguments.out {
        std::fs::write(path, report.page())?;
    }
    Ok(())
}
