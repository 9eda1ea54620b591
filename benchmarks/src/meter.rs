//! Measures wall clock time, CPU time, memory and disk usage, from the kernel's files.
//!
//! Preparing the input of a measurement can be excluded.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::{Error, Result};

/// Length of the kernel's clock tick in its text files.
const TICK: Duration = Duration::from_millis(10);

/// How often to check for idleness, for how long, and how often in a row it must be found.
const IDLE_TRIES: u32 = 1_000;
const IDLE_TRY: Duration = Duration::from_millis(300);
const IDLE_IN_A_ROW: u32 = 3;

/// Time that was spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeSpent {
    pub(crate) wall: Duration,
    /// CPU time of all threads of the process.
    pub(crate) cpu: Duration,
}

/// A running measurement.
pub(crate) struct TimeMeter {
    started: Instant,
    cpu: Duration,
    outside: TimeSpent,
}

impl TimeMeter {
    pub(crate) fn start() -> Result<Self> {
        let cpu = process_cpu()?;
        Ok(Self { started: now(), cpu, outside: TimeSpent::default() })
    }

    /// Runs work on this thread that is not measured.
    pub(crate) fn outside<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (started, cpu) = (now(), thread_cpu()?);
        let done = work()?;
        self.outside.cpu += thread_cpu()?.saturating_sub(cpu);
        self.outside.wall += started.elapsed();
        Ok(done)
    }

    pub(crate) fn stop(self) -> Result<TimeSpent> {
        let wall = self.started.elapsed().saturating_sub(self.outside.wall);
        let cpu = process_cpu()?.saturating_sub(self.cpu).saturating_sub(self.outside.cpu);
        Ok(TimeSpent { wall, cpu })
    }
}

/// The wall clock.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures the machine's own time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Memory of this process in bytes: current and peak.
pub(crate) fn resident_bytes() -> Result<(u64, u64)> {
    resident_bytes_of("self")
}

/// The same for a process by id.
pub(crate) fn resident_bytes_of(process: &str) -> Result<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    Ok((status_bytes(&status, "VmRSS:")?, status_bytes(&status, "VmHWM:")?))
}

/// Cores and memory of this machine.
pub(crate) fn machine() -> Result<(usize, u64)> {
    let memory = fs::read_to_string("/proc/meminfo")?;
    Ok((std::thread::available_parallelism()?.get(), status_bytes(&memory, "MemTotal:")?))
}

/// The load average of the last 15 minutes.
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

/// CPU time of all threads, including ended ones.
fn process_cpu() -> Result<Duration> {
    cpu_of_process("self")
}

/// Waits until no thread of this process is busy: a store compacts for a while after loading, which would distort the
/// measurement. Gives up after a time, because the measurements are still useful then.
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

/// CPU time of a process by id.
pub(crate) fn cpu_of_process(process: &str) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    Ok(TICK * stat_numbers(&stat, 11..13)?.iter().sum::<u32>())
}

/// CPU time of a process and its descendants, including ended ones.
pub(crate) fn cpu_of_family(parent: u32) -> Result<Duration> {
    let ticks = |process: u32, fields| -> Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
        Ok(TICK * stat_numbers(&stat, 11..fields)?.iter().sum::<u32>())
    };
    let mut cpu = Duration::ZERO;
    for child in children(parent)? {
        // A process that has ended meanwhile is included in its parent's sum.
        cpu += ticks(child, 13).unwrap_or_default();
    }
    Ok(cpu + ticks(parent, 15)?)
}

/// Memory of a process and its descendants; shared pages are counted proportionally.
pub(crate) fn proportional_bytes_of_family(parent: u32) -> Result<u64> {
    let bytes = |process: u32| -> Result<u64> {
        status_bytes(&fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?, "Pss:")
    };
    let of_children = children(parent)?.into_iter().map(|child| bytes(child).unwrap_or_default());
    Ok(of_children.sum::<u64>() + bytes(parent)?)
}

/// Disk usage of a folder in bytes.
pub(crate) fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // A file may disappear while a store is open.
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

/// Fields of a process's stat line, counted from the one after its name.
fn stat_numbers(stat: &str, fields: Range<usize>) -> Result<Vec<u32>> {
    // The name is in parentheses and may contain any character.
    let (_, text) = stat.rsplit_once(')').ok_or_else(|| unreadable("stat"))?;
    let numbers = text.split_whitespace().skip(fields.start).take(fields.len());
    Ok(numbers.map(str::parse).collect::<std::result::Result<_, _>>()?)
}

/// CPU time of this thread.
fn thread_cpu() -> Result<Duration> {
    let schedule = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = schedule.split_whitespace().next().ok_or_else(|| unreadable("schedstat"))?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

fn unreadable(what: &str) -> Error {
    format!("the kernel's file does not contain {what}").into()
}
