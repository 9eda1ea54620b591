//! A worker of the dispatcher in a process of its own, for the test that kills it with -9.
//!
//! `dispatch_worker <place> <file> <step>` works on the account in the place (a folder, or the connection string of a
//! server) until the step is reached, says `reached` and stands still: nothing more is done until somebody ends the
//! process. Without reaching it, it says `finished`. Pushes are lines of the file.

#![expect(clippy::print_stdout, reason = "its one output is for the test")]

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use client::{Account, Environment};
use planisphere_notifications::delivery::{Delivery, Push, PushResult};
use planisphere_notifications::{
    Device, DispatchObserver, DispatchStep, NotificationSettings, Notifications,
};

/// Writes pushes down.
struct Noted(PathBuf);

#[async_trait]
impl Delivery for Noted {
    async fn push(&self, device: &Device, push: &Push) -> PushResult {
        let line = format!("{} {}\n", device.device_id.as_str(), push.collapse_id);
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.0);
        match file.and_then(|mut file| file.write_all(line.as_bytes())) {
            Ok(()) => PushResult::Delivered { provider_id: "noted".to_owned() },
            Err(error) => PushResult::Permanent { reason: error.to_string() },
        }
    }
}

/// Stands still at a step.
struct StandStill(String);

impl DispatchObserver for StandStill {
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
    let mut next = || arguments.next().ok_or("give a place, a file for pushes and a step");
    let (place, pushes, at) = (next()?, next()?, next()?);
    let account = Account::open(&place).await?;
    let delivery = Arc::new(Noted(PathBuf::from(pushes)));
    let environment = Environment::system();
    let system =
        Notifications::open(account, NotificationSettings::default(), environment, delivery)
            .await?;
    system.observe_steps(Arc::new(StandStill(at)));
    system.dispatcher("victim").await?.run_once().await?;
    println!("finished");
    Ok(())
}
