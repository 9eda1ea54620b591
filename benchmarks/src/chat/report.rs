//! The figures of a run as tables, and the page that explains them.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;
use std::time::Duration;

use super::history::HistoryFigures;
use crate::fan_out::{RoomFigures, SideFigures};
use crate::meter::{load_average, machine};

/// One side of a run.
#[derive(Clone, Debug)]
pub struct ChatSide {
    /// What it is.
    pub name: &'static str,
    /// What it took, or why there is nothing.
    pub figures: Result<SideFigures, String>,
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct ChatReport {
    /// Idle connections.
    pub idle: usize,
    /// Connections in rooms.
    pub members: usize,
    /// Messages into each room.
    pub messages: usize,
    /// The sides; the first is the chat as it is run.
    pub sides: Vec<ChatSide>,
    /// Rooms with a history.
    pub histories: Vec<HistoryFigures>,
}

impl ChatReport {
    /// The tables alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = String::from("|");
        for side in &self.sides {
            let _ = write!(text, " | {}", side.name);
        }
        let _ = write!(text, " |\n|---|{}\n", "---|".repeat(self.sides.len()));
        let idle = |side: &SideFigures| Some(format!("{:.1}", side.idle_bytes as f64 / 1024.0));
        self.row(&mut text, "memory per idle connection, KiB", &idle);
        let sizes: Vec<usize> = match self.sides.first().map(|side| &side.figures) {
            Some(Ok(first)) => first.rooms.iter().map(|room| room.members).collect(),
            _ => Vec::new(),
        };
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        for (index, members) in sizes.into_iter().enumerate() {
            let mut row = |what: &str, show: &dyn Fn(&RoomFigures) -> String| {
                let what = format!("rooms of {members}: {what}");
                self.row(&mut text, &what, &|side| side.rooms.get(index).map(show));
            };
            row("CPU per message, µs", &|room| {
                format!("{:.0}", room.cpu_micros() * room.members as f64)
            });
            row("CPU per delivered message, µs", &|room| format!("{:.2}", room.cpu_micros()));
            row("messages per second", &|room| {
                format!("{:.0}", room.per_second() / room.members as f64)
            });
            row("send to last receiver, p50 and p99 in ms", &|room| {
                format!("{:.1}, {:.1}", ms(room.p50), ms(room.p99))
            });
        }
        self.write_histories(&mut text);
        text
    }

    fn write_histories(&self, text: &mut String) {
        text.push_str(
            "\n| messages in the room | RU of a message | RU of the newest page | RU of a page in the middle \
             | CPU of a message, µs | CPU of the newest page, µs |\n|---|---|---|---|---|---|\n",
        );
        for one in &self.histories {
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            let _ = writeln!(
                text,
                "| {} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} |",
                one.messages,
                one.send_charge,
                one.page_charge,
                one.middle_charge,
                micros(one.send_cpu),
                micros(one.page_cpu)
            );
        }
    }

    fn row(&self, text: &mut String, what: &str, show: &dyn Fn(&SideFigures) -> Option<String>) {
        let _ = write!(text, "| {what}");
        for side in &self.sides {
            let cell = match &side.figures {
                Ok(figures) => show(figures).unwrap_or_else(|| "-".to_owned()),
                Err(why) => format!("**{why}**"),
            };
            let _ = write!(text, " | {cell}");
        }
        text.push_str(" |\n");
    }

    /// The page.
    #[must_use]
    pub fn page(&self) -> String {
        let Self { idle, members, messages, .. } = self;
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let gib = memory as f64 / (1024.0 * 1024.0 * 1024.0);
        let build =
            if cfg!(debug_assertions) { "A DEBUG BUILD: only request units count." } else { "" };
        format!(
            "# Load on the chat\n\nWritten by `cargo xtask bench chat`. {build} {idle} idle connections, then \
             {members} in rooms with {messages} messages into each room. A message of the chat is checked, stored \
             with a reminder, and delivered; the hub and the bare server only deliver. The other server stores a \
             message in a Redis stream and delivers it through Redis. Each server is a process of its own (the CPU \
             time of Redis is not counted), and the clients are the same for all sides and share the cores. \
             Wall-clock figures depend on what else the machine does; the CPU time of the server hardly does. \
             {cores} cores, {gib:.0} GiB, load average {load}.\n\n{}",
            self.tables()
        )
    }
}
