//! A worker in its own process, for the tests that kill it with SIGKILL and search its memory.
//!
//! `migration_worker ACCOUNT SOURCE TARGET TOKEN CLUSTER STEP RECORDED CA_FILE` migrates the pending workloads of a
//! cluster of an account (the connection string of a server) from one vault to another until the step is reached,
//! prints `reached` and blocks until the process is killed. If the step is not reached, it prints `finished` and blocks
//! as well. `CA_FILE` may be empty.

#![expect(clippy::print_stdout, reason = "its one output is for the test")]

use std::sync::Arc;

use client::{Account, Environment};
use secret_migration::{
    ClusterName, MigrationObserver, MigrationSettings, MigrationStep, NoRollout, Platforms,
    RunScope, SecretMigration, VaultClient, VaultSettings,
};
use service::settings::Secret;

/// As in the binary `planisphere`: the libraries for HTTP and TLS do not wipe their buffers, so freed memory is wiped.
#[global_allocator]
static ALLOCATOR: zeroizing_alloc::ZeroAlloc<std::alloc::System> =
    zeroizing_alloc::ZeroAlloc(std::alloc::System);

/// Blocks the worker at a step.
struct BlockAt {
    step: String,
    recorded: bool,
}

impl MigrationObserver for BlockAt {
    fn on_step(&self, step: MigrationStep, recorded: bool) {
        if format!("{step:?}") == self.step && recorded == self.recorded {
            println!("reached");
            loop {
                std::thread::park();
            }
        }
    }
}

fn vault(
    address: String,
    token: &str,
    ca_file: &str,
) -> Result<Arc<VaultClient>, secret_migration::Error> {
    let (token, ca_file) = (Secret::new(token), ca_file.to_owned());
    let settings = VaultSettings { address, token, ca_file, ..VaultSettings::default() };
    Ok(Arc::new(VaultClient::open(settings, Environment::system())?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || {
        arguments
            .next()
            .ok_or("give account, source, target, token, cluster, step, recorded, ca file")
    };
    let (place, source, target, token) = (next()?, next()?, next()?, next()?);
    let (cluster, step, recorded) = (ClusterName::parse(next()?)?, next()?, next()?);
    let ca_file = next()?;
    let account = Account::open(&place).await?;
    let platforms = Platforms {
        source: vault(source, &token, &ca_file)?,
        target: vault(target, &token, &ca_file)?,
        rollout: Arc::new(NoRollout),
    };
    let settings = MigrationSettings {
        fingerprint_secret: Secret::new("the key of the tests"),
        ..MigrationSettings::default()
    };
    let system = SecretMigration::open(account, settings, Environment::system(), platforms).await?;
    system.observe_steps(Arc::new(BlockAt { step, recorded: recorded == "true" }));
    let worker = format!("process {}", std::process::id());
    system.run_cluster(&cluster, RunScope::All, &worker).await?;
    println!("finished");
    // Idle, but still there: the test searches its memory.
    loop {
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    }
}
