//! The `planisphere` binary: parses the command line and hands over to one command.
//!
//! Owns the end of the process: exit codes, and that no panic reaches the user as one. Does not own any decision about
//! data; the commands wire `engine` to a folder on disk and print.

mod command;
mod failure;
mod open;
mod output;
mod panic;
mod place;
mod progress;
mod transform;

use std::process::ExitCode;

use clap::Parser;

use command::Command;

/// Requests are many small allocations, which that of the C library takes three times as long for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples:
  planisphere serve                       an account at http://localhost:8081/, data in ./planisphere-data
  planisphere serve --memory --port 0     the same for tests: any free port, nothing on disk
  planisphere bench                       how fast is this disk?
  planisphere bench --data DIR --keep     the same, and keep the store to look at
  planisphere verify --data DIR           is everything in this folder consistent?
  planisphere export --data DIR --database shop --container orders --out orders.jsonl
  planisphere copy --from-data DIR --from shop/orders --to shop/orders-v2 --partition-key /tenantId
  planisphere query --data DIR --database shop --container orders \"SELECT * FROM c\"
  planisphere schema plan shop.toml --data DIR    what would this schema create and change?
  planisphere report                      what did requests cost, what was hot, what would help?
  planisphere cost --item order.json      what does this item cost, path by path?
  planisphere notifications serve --demo  a notification service to try, on our own data
  planisphere help verify                 more about one command

Exit codes: 0 all is well, 1 something was found, 2 the command could not be carried out.";

/// A document database that speaks the Azure Cosmos DB NoSQL API.
#[derive(Debug, Parser)]
#[command(name = "planisphere", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let CommandLine { command } = CommandLine::parse();
    match panic::caught(|| command.run()) {
        Ok(code) => code,
        Err(failure) => failure.tell(),
    }
}
