//! The figures of a run as a table, and the page that explains it.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;
use std::time::Duration;

use crate::meter::{load_average, machine};

/// What one side took for rooms of one size.
#[derive(Clone, Debug)]
pub struct RoomFigures {
    /// Members of each room.
    pub members: usize,
    /// Messages times their receivers.
    pub delivered: u64,
    /// From the first send to the last receiver.
    pub wall: Duration,
    /// CPU time of the server.
    pub cpu: Duration,
    /// From a send to its last receiver, median.
    pub p50: Duration,
    /// The same, 99th percentile.
    pub p99: Duration,
}

impl RoomFigures {
    pub(crate) fn cpu_micros(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / (self.delivered.max(1) as f64)
    }

    pub(crate) fn per_second(&self) -> f64 {
        self.delivered as f64 / self.wall.as_secs_f64().max(1e-9)
    }
}

/// What one side took.
#[derive(Clone, Debug)]
pub struct SideFigures {
    /// Resident memory of the server for each idle socket.
    pub idle_bytes: u64,
    /// By size of the rooms.
    pub rooms: Vec<RoomFigures>,
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct FanOutReport {
    /// Idle sockets.
    pub idle: usize,
    /// Sockets in rooms.
    pub members: usize,
    /// Messages into each room.
    pub messages: usize,
    /// Our hub.
    pub hub: SideFigures,
    /// Bare WebSockets on axum.
    pub bare: SideFigures,
    /// Node's `ws`, or why there is none.
    pub peer: Result<SideFigures, String>,
}

impl FanOutReport {
    /// The table alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text =
            "| | hub | bare axum | Node `ws` | bare / hub |\n|---|---|---|---|---|\n".to_owned();
        let idle = |side: &SideFigures| format!("{:.1}", side.idle_bytes as f64 / 1024.0);
        self.row(&mut text, "memory per idle connection, KiB", &|side| Some(idle(side)), None);
        for (index, figures) in self.hub.rooms.iter().enumerate() {
            let members = figures.members;
            let of = |side: &SideFigures, show: &dyn Fn(&RoomFigures) -> String| {
                side.rooms.get(index).map(show)
            };
            let bare = self.bare.rooms.get(index).map(RoomFigures::cpu_micros);
            let ratio = bare.map(|bare| format!("{:.0} %", 100.0 * bare / figures.cpu_micros()));
            let mut row = |what: &str, show: &dyn Fn(&RoomFigures) -> String, ratio| {
                let what = format!("rooms of {members}: {what}");
                self.row(&mut text, &what, &|side| of(side, show), ratio);
            };
            row(
                "CPU per delivered message, µs",
                &|room| format!("{:.2}", room.cpu_micros()),
                ratio,
            );
            row("delivered per second", &|room| format!("{:.0}", room.per_second()), None);
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            row(
                "send to last receiver, p50 and p99 in ms",
                &|room| format!("{:.1}, {:.1}", ms(room.p50), ms(room.p99)),
                None,
            );
        }
        text
    }

    fn row(
        &self,
        text: &mut String,
        what: &str,
        show: &dyn Fn(&SideFigures) -> Option<String>,
        ratio: Option<String>,
    ) {
        let cell = |side: &SideFigures| show(side).unwrap_or_else(|| "-".to_owned());
        let peer = match &self.peer {
            Ok(peer) => cell(peer),
            Err(why) => format!("**{why}**"),
        };
        let ratio = ratio.unwrap_or_default();
        let (hub, bare) = (cell(&self.hub), cell(&self.bare));
        let _ = writeln!(text, "| {what} | {hub} | {bare} | {peer} | {ratio} |");
    }

    /// The page.
    #[must_use]
    pub fn page(&self) -> String {
        let Self { idle, members, messages, .. } = self;
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let gib = memory as f64 / (1024.0 * 1024.0 * 1024.0);
        format!(
            "# Fan-out of a SignalR hub\n\nWritten by `cargo xtask bench fan-out`. {idle} idle WebSockets, \
             then {members} in rooms with {messages} messages into each room, without storage. Each \
             server is a process of its own, the clients are the same for all sides and share the cores, \
             and receivers get the same bytes. Bare axum has no protocol: it is the ceiling. Wall-clock \
             figures depend on what else the machine does; the CPU time of the server for each delivered \
             message hardly does. The goal is 60 % of the bare server or more. {cores} cores, {gib:.0} \
             GiB, load average {load}.\n\n{}",
            self.tables()
        )
    }
}
