//! What a stretch of work costs: wall clock and processor time; and what a process holds in memory.
//!
//! Owns the reading of the kernel's files. Making the input of a measurement can be left out of both times.

use std::fs;
use std::time::{Duration, Instant};

use crate::{Error, Result};

/// Length of the kernel's clock tick in its text files.
const TICK: Duration = Duration::from_millis(10);

/// How often idleness is looked for, for how long each, and how often it must be found.
const IDLE_TRIES: u32 = 1_000;
const IDLE_TRY: Duration = Duration::from_millis(300);
const IDLE_IN_A_ROW: u32 = 3;

/// Time that was spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    /// Of all threads of the process.
    pub(crate) cpu: Duration,
}

/// A running measurement.
pub(crate) struct Meter {
    started: Instant,
    cpu: Duration,
    outside: Spent,
}

impl Meter {
    pub(crate) fn start() -> Result<Self> {
        let cpu = process_cpu()?;
        Ok(Self { started: now(), cpu, outside: Spent::default() })
    }

    /// Does something that does not count, on this thread alone.
    pub(crate) fn outside<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (started, cpu) = (now(), thread_cpu()?);
        let done = work()?;
        self.outside.cpu += thread_cpu()?.saturating_sub(cpu);
        self.outside.wall += started.elapsed();
        Ok(done)
    }

    pub(crate) fn stop(self) -> Result<Spent> {
        let wall = self.started.elapsed().saturating_sub(self.outside.wall);
        let cpu = process_cpu()?.saturating_sub(self.cpu).saturating_sub(self.outside.cpu);
        Ok(Spent { wall, cpu })
    }
}

/// The wall clock.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures the machine's own time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Memory of this process in bytes: now, and the most it ever was.
pub(crate) fn resident_bytes() -> Result<(u64, u64)> {
    resident_bytes_of("self")
}

/// The same of a process by its number.
pub(crate) fn resident_bytes_of(process: &str) -> Result<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    Ok((status_bytes(&status, "VmRSS:")?, status_bytes(&status, "VmHWM:")?))
}

/// Cores and memory of this machine.
pub(crate) fn machine() -> Result<(usize, u64)> {
    let memory = fs::read_to_string("/proc/meminfo")?;
    Ok((std::thread::available_parallelism()?.get(), status_bytes(&memory, "MemTotal:")?))
}

/// How many threads wanted a processor of this machine over the last 15 minutes, on average.
pub(crate) fn load_average() -> Result<String> {
    let load = fs::read_to_string("/proc/loadavg")?;
    Ok(load.split_whitespace().nth(2).ok_or_else(|| unreadable("loadavg"))?.to_owned())
}

fn status_bytes(text: &str, name: &str) -> Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    let kilobytes: u64 = kilobytes.ok_or_else(|| unreadable(name))?.parse()?;
    Ok(kilobytes * 1024)
}

/// Processor time of all threads, also of those that have ended.
fn process_cpu() -> Result<Duration> {
    cpu_of_process("self")
}

/// Waits until no thread of this process works any more: a store goes on compacting after it was loaded, and what is
/// measured meanwhile is partly that. Gives up in the end, since the measurements are still worth something then.
pub(crate) fn wait_until_idle() -> Result<()> {
    let mut idle = 0;
    for _ in 0..IDLE_TRIES {
        let before = process_cpu()?;
        std::thread::sleep(IDLE_TRY);
        let is_idle = process_cpu()?.saturating_sub(before) <= TICK;
        idle = if is_idle { idle + 1 } else { 0 };
        if idle >= IDLE_IN_A_ROW {
            break;
        }
    }
    Ok(())
}

/// Processor time of a process by its number.
pub(crate) fn cpu_of_process(process: &str) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the process stands in parentheses and may contain anything.
    let (_, fields) = stat.rsplit_once(')').ok_or_else(|| unreadable("stat"))?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u32>);
    let ticks: u32 = ticks.sum::<std::result::Result<u32, _>>()?;
    Ok(TICK * ticks)
}

/// Processor time of this thread.
fn thread_cpu() -> Result<Duration> {
    let schedule = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = schedule.split_whitespace().next().ok_or_else(|| unreadable("schedstat"))?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

fn unreadable(what: &str) -> Error {
    format!("the kernel's file does not tell {what}").into()
}
