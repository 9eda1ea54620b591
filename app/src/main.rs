//! The `planisphere` binary: parses the command line and runs one command.
//!
//! Commands connect the libraries to a folder, an endpoint and the terminal; they make no decisions about data.

mod account_key;
mod account_location;
mod command;
mod database;
mod error;
mod log;
mod open;
mod output;
mod panic;
mod private_file;
mod progress;
#[cfg(feature = "connect")]
mod server_call;
mod settings_file;
mod transform;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use command::PlanisphereCommand;

/// Requests make many small allocations, for which the allocator of the C library takes three times as long.
#[cfg(not(feature = "wipe-memory"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The same one, and freed memory is overwritten: libraries for HTTP and TLS do not wipe the buffers that values of
/// secrets go through.
#[cfg(feature = "wipe-memory")]
#[global_allocator]
static ALLOCATOR: zeroizing_alloc::ZeroAlloc<mimalloc::MiMalloc> =
    zeroizing_alloc::ZeroAlloc(mimalloc::MiMalloc);

const EXAMPLES: &str = "\
Examples:
  planisphere serve                       serve http://localhost:8081/, data in ./planisphere-data
  planisphere serve --memory --port 0     for tests: any free port, nothing on disk
  planisphere emulator --protocol https   a drop-in for Microsoft's emulators
  planisphere bench                       measure this machine and disk
  planisphere bench --data DIR --keep     the same, and keep the store
  planisphere verify --data DIR           check that a store is consistent
  planisphere export --data DIR --database shop --container orders --out orders.jsonl
  planisphere copy --from-data DIR --from shop/orders --to shop/orders-v2 --partition-key /tenantId
  planisphere query --data DIR --database shop --container orders \"SELECT * FROM c\"
  planisphere list --data DIR             show the databases and containers
  planisphere backup --out shop.backup    save everything in a running server
  planisphere schema plan shop.toml --data DIR    show what a schema would change
  planisphere report                      show what requests cost and what would help
  planisphere cost --item order.json      estimate what an item costs, path by path
  planisphere notifications serve --demo  try the notification service with sample data
  planisphere help verify                 help for one command

Exit codes: 0 success, 1 findings or differences, 2 the command failed.";

/// A document database that speaks the Azure Cosmos DB NoSQL API.
#[derive(Debug, Parser)]
#[command(name = "planisphere", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct CommandLine {
    /// File with flags of commands, as TOML; also PLANISPHERE_SETTINGS. Flags on the command line win
    #[arg(long, global = true, value_name = "FILE")]
    settings_file: Option<std::path::PathBuf>,

    #[command(subcommand)]
    command: PlanisphereCommand,
}

fn main() -> ExitCode {
    let words = match settings_file::add_flags(&CommandLine::command(), std::env::args_os()) {
        Ok(words) => words,
        Err(error) => return error.print(),
    };
    let CommandLine { command, .. } = CommandLine::parse_from(words);
    match panic::catch_panics(|| command.run(&mut CommandLine::command())) {
        Ok(code) => code,
        Err(error) => error.print(),
    }
}
