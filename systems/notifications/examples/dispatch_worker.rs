//! A worker of the dispatcher in its own process, for the test that kills it with SIGKILL.
//!
//! `dispatch_worker <account> <file> <step>` processes the events of an account (a folder, or the connection string of
//! a server) until the step is reached, prints `reached` and blocks until the process is killed. If the step is not
//! reached, it prints `finished`. Pushes are written to the file, one per line.

#![expect(clippy::print_stdout, reason = "its one output is for the test")]

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use client::{Account, Environment};
use planisphere_notifications::delivery::{Delivery, DeliveryResult, Push};
use planisphere_notifications::{
    Device, DispatchObserver, DispatchStep, NotificationSettings, Notifications,
};

/// Appends pushes to a file.
struct PushLog(PathBuf);

#[async_trait]
impl Delivery for PushLog {
    async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        let line = format!("{} {}\n", device.device_id.as_str(), push.collapse_id);
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.0);
        match file.and_then(|mut file| file.write_all(line.as_bytes())) {
            Ok(()) => DeliveryResult::Delivered { provider_id: "logged".to_owned() },
            Err(error) => DeliveryResult::Permanent { reason: error.to_string() },
        }
    }
}

/// Blocks the worker at a step.
struct BlockAt(String);

impl DispatchObserver for BlockAt {
    fn on_step(&self, step: DispatchStep) {
        if format!("{step:?}") == self.0 {
            println!("reached");
            loop {
                std::thread::park();
            }
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("give an account, a file for pushes and a step");
    let (place, pushes, at) = (next()?, next()?, next()?);
    let account = Account::open(&place).await?;
    let delivery = Arc::new(PushLog(PathBuf::from(pushes)));
    let environment = Environment::system();
    let system =
        Notifications::open(account, NotificationSettings::default(), environment, delivery)
            .await?;
    system.observe_steps(Arc::new(BlockAt(at)));
    system.dispatcher("victim").await?.run_once().await?;
    println!("finished");
    Ok(())
}
