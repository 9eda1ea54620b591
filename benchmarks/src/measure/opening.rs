//! e: opening the store in a new process, after a clean close and after a kill in mid-write.

use std::path::Path;
use std::time::Duration;

use crate::Result;
use crate::child::{ChildTask, number, spawn};
use crate::prepare::copy_folder;
use crate::progress;
use crate::report::ReportRow;
use crate::rounds::middle;
use crate::run::EngineBench;

pub(crate) fn opening(bench: &EngineBench) -> Result<Vec<ReportRow>> {
    progress::step("e: opening");
    let (mut clean, mut killed) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.rounds.max(1) {
        clean.push(open(bench, &bench.prepared.store())?);
        let folder = bench.prepared.scratch()?;
        copy_folder(&bench.prepared.store(), folder.path())?;
        let items = bench.options.items;
        let child = spawn(&bench.options.program, ChildTask::Write, folder.path(), items, None)?;
        child.kill_after_line()?;
        killed.push(open(bench, folder.path())?);
    }
    let row = |what, durations: Vec<Duration>, target, seconds_max| {
        let seconds = middle(durations).as_secs_f64();
        ReportRow::limit('e', what, format!("{seconds:.2} s"), seconds, target, seconds_max)
    };
    Ok(vec![
        row("opening after a clean close", clean, "under 1 s", 1.0),
        row("opening after kill -9 in mid-write", killed, "under 3 s", 3.0),
    ])
}

fn open(bench: &EngineBench, folder: &Path) -> Result<Duration> {
    let child = spawn(&bench.options.program, ChildTask::Open, folder, bench.options.items, None)?;
    let measured = child.measured("opening the store")?;
    if number(&measured, "items")? < bench.options.items {
        return Err("the opened store lacks items".into());
    }
    Ok(Duration::from_micros(number(&measured, "open_us")?))
}
