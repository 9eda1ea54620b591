//! UmaDB as its own process, driven by its own client in another one.
//!
//! Owns finding both programs and starting the server in a folder of its own. `peers/umadb` has the load.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::load::{CONTENDED, CONTENDERS, SHAPES, TAG_EVENTS, TIMES, read_tag_of};
use super::run::{EventsOptions, EventsSide};
use crate::{Result, progress};

pub(super) const NOT_INSTALLED: &str = "not installed: cargo install umadb --version 0.7.8 --root target/peers, and \
     cargo install --path benchmarks/peers/umadb --root target/peers";
const START_TRIES: u32 = 300;
const TRY_EVERY: Duration = Duration::from_millis(50);

/// A running server.
struct UmaServer {
    process: Child,
    url: String,
    load: PathBuf,
}

/// Runs all measurements; what to install if a program is missing.
pub(super) fn measure(
    peers: &Path,
    options: &EventsOptions,
) -> Result<std::result::Result<EventsSide, String>> {
    let (server, load) = (peers.join("bin/umadb"), peers.join("bin/umadb-load"));
    if !server.is_file() || !load.is_file() {
        return Ok(Err(NOT_INSTALLED.to_owned()));
    }
    let folder = tempfile::Builder::new().prefix("benchmarks-umadb").tempdir()?;
    let server = UmaServer::start(&server, load, folder.path())?;
    let name = "umadb".to_owned();
    let mut side = EventsSide { name, ..EventsSide::default() };
    let mut filled = 0;
    for &size in &options.sizes {
        progress::step(&format!("umadb: {size} events"));
        let words = [filled, size, TAG_EVENTS].map(|number| number.to_string());
        server.task(&["fill", &words[0], &words[1], &words[2]])?;
        filled = size;
        side.tag_reads_ms.push(server.read_tag(&read_tag_of(size))?);
    }
    side.read_all = Some(server.number(&["read-all"])?);
    let ms = options.measured_ms.to_string();
    for (writers, events, tags) in SHAPES {
        progress::step(&format!("umadb: appends {:?}", (writers, events, tags)));
        let [writers, events, tags] = [writers, events, tags].map(|number| number.to_string());
        side.appends.push(server.number(&["appends", &writers, &events, &tags, &ms])?);
    }
    for tags in CONTENDED {
        let words = [CONTENDERS, tags].map(|number| number.to_string());
        side.conditional.push(server.number(&["contend", &words[0], &words[1], &ms])?);
    }
    side.live_ms = Some(server.number(&["latency", &TIMES.to_string()])?);
    Ok(Ok(side))
}

impl UmaServer {
    fn start(program: &Path, load: PathBuf, folder: &Path) -> Result<Self> {
        // A free port: it is given back before the server takes it.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = Command::new(program);
        command.arg("--listen").arg(address.to_string());
        command.arg("--db-path").arg(folder.join("events.db"));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let server = Self { process, url: format!("http://{address}"), load };
        for _ in 0..START_TRIES {
            if std::net::TcpStream::connect(address).is_ok() {
                return Ok(server);
            }
            std::thread::sleep(TRY_EVERY);
        }
        Err("umadb does not listen".into())
    }

    fn task(&self, words: &[&str]) -> Result<String> {
        let done = Command::new(&self.load).arg(&self.url).args(words).output()?;
        if !done.status.success() {
            return Err(format!("{words:?}: {}", String::from_utf8_lossy(&done.stderr)).into());
        }
        Ok(String::from_utf8(done.stdout)?)
    }

    fn number(&self, words: &[&str]) -> Result<f64> {
        Ok(self.task(words)?.lines().next().unwrap_or_default().parse()?)
    }

    fn read_tag(&self, tag: &str) -> Result<f64> {
        let printed = self.task(&["read-tag", tag, &TIMES.to_string()])?;
        let mut lines = printed.lines();
        let median = lines.next().unwrap_or_default().parse()?;
        match lines.next().unwrap_or_default().parse::<usize>()? {
            TAG_EVENTS => Ok(median),
            other => Err(format!("{tag} has {other} events").into()),
        }
    }
}

impl Drop for UmaServer {
    fn drop(&mut self) {
        // Its folder goes with it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
