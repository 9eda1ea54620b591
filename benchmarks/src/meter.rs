//! What a stretch of work costs: wall clock and processor time; and what a process holds in memory and on disk.
//!
//! Owns the reading of the kernel's files. Making the input of a measurement can be left out of both times.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
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
    Ok(TICK * stat_numbers(&stat, 11..13)?.iter().sum::<u32>())
}

/// Processor time of a process and of all it started, those that have ended included.
pub(crate) fn cpu_of_family(parent: u32) -> Result<Duration> {
    let ticks = |process: u32, fields| -> Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
        Ok(TICK * stat_numbers(&stat, 11..fields)?.iter().sum::<u32>())
    };
    let mut cpu = Duration::ZERO;
    for child in children(parent)? {
        // One that has ended meanwhile is in the sum of its parent.
        cpu += ticks(child, 13).unwrap_or_default();
    }
    Ok(cpu + ticks(parent, 15)?)
}

/// Memory of a process and of all it started, pages that several have counted in parts.
pub(crate) fn proportional_bytes_of_family(parent: u32) -> Result<u64> {
    let bytes = |process: u32| -> Result<u64> {
        status_bytes(&fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?, "Pss:")
    };
    let of_children = children(parent)?.into_iter().map(|child| bytes(child).unwrap_or_default());
    Ok(of_children.sum::<u64>() + bytes(parent)?)
}

/// Bytes that the files of a folder take on the disk.
pub(crate) fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // A file may go away while a store is open.
        let Ok(metadata) = entry.metadata() else { continue };
        bytes += match metadata.is_dir() {
            true => folder_bytes(&entry.path())?,
            false => metadata.blocks() * 512,
        };
    }
    Ok(bytes)
}

fn children(parent: u32) -> Result<Vec<u32>> {
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(process) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { continue };
        if stat_numbers(&stat, 1..2).is_ok_and(|numbers| numbers == [parent]) {
            children.push(process);
        }
    }
    Ok(children)
}

/// Some fields of a process's line, counted from the one behind its name.
fn stat_numbers(stat: &str, fields: Range<usize>) -> Result<Vec<u32>> {
    // The name of the process stands in parentheses and may contain anything.
    let (_, text) = stat.rsplit_once(')').ok_or_else(|| unreadable("stat"))?;
    let numbers = text.split_whitespace().skip(fields.start).take(fields.len());
    Ok(numbers.map(str::parse).collect::<std::result::Result<_, _>>()?)
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
