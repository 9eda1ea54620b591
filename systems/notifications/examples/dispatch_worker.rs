//! A worker of the dispatcher in a process of its own, for the test that kills it with -9.
//!
//! `dispatch_worker <folder> <step> <time>` works on the account in the folder until the step is reached for that time,
//! says `reached` and stands still: nothing more is done until somebody ends the process. Without reaching it, it says
//! `finished`. Pushes are lines of the file `pushes` in the folder.

#![expect(clippy::print_stdout, reason = "its one output is for the test")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use client::{Account, Environment};
use notifications::delivery::{Delivery, Push, PushResult};
use notifications::{Device, Notifications, Settings, Step, StepWatch};

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
struct StandStill {
    at: String,
    left: AtomicUsize,
}

impl StepWatch for StandStill {
    fn reached(&self, step: Step) {
        if format!("{step:?}") == self.at && self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
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
    let mut next = || arguments.next().ok_or("give a folder, a step and a time");
    let (folder, at, time) = (next()?, next()?, next()?);
    let account = Account::embedded(Path::new(&folder).join("data")).await?;
    let delivery = Arc::new(Noted(Path::new(&folder).join("pushes")));
    let environment = Environment::system();
    let system = Notifications::open(account, Settings::default(), environment, delivery).await?;
    let left = AtomicUsize::new(time.parse()?);
    system.watch_steps(Arc::new(StandStill { at, left }));
    system.dispatcher("victim").await?.run_once().await?;
    println!("finished");
    Ok(())
}
