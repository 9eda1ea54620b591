//! A private Redis for one test: Debian's `redis-server` on a free port in a temporary folder.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use chat::{ChatSettings, RedisSettings};
use service::settings::Secret;

pub(crate) struct RedisServer {
    child: Option<Child>,
    port: u16,
    folder: tempfile::TempDir,
}

impl RedisServer {
    /// Starts one; `None`, said by the name of the test, where there is no `redis-server`.
    #[allow(clippy::print_stderr, reason = "a skipped test says so")]
    pub(crate) async fn start(test: &str) -> Option<Self> {
        let has_redis = Command::new("redis-server").arg("--version").output();
        if has_redis.is_err() {
            eprintln!("SKIPPED {test}: there is no redis-server on the path");
            return None;
        }
        for _ in 0..10 {
            let port = free_port();
            let folder = tempfile::tempdir().unwrap();
            let mut server = Self { child: None, port, folder };
            server.run();
            if server.wait().await {
                return Some(server);
            }
        }
        panic!("redis-server does not start");
    }

    fn run(&mut self) {
        let child = Command::new("redis-server")
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", ""])
            .args(["--appendonly", "no", "--dir"])
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.child = Some(child);
    }

    async fn wait(&mut self) -> bool {
        for _ in 0..3_000 {
            if self.child.as_mut().is_some_and(|child| child.try_wait().unwrap().is_some()) {
                return false;
            }
            if let Ok(mut connection) = self.client().get_multiplexed_async_connection().await
                && redis::cmd("PING").query_async::<String>(&mut connection).await.is_ok()
            {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }

    pub(crate) fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) async fn start_again(&mut self) {
        self.run();
        assert!(self.wait().await, "redis-server does not start again");
    }

    pub(crate) fn client(&self) -> redis::Client {
        redis::Client::open(format!("redis://127.0.0.1:{}/0", self.port)).unwrap()
    }

    pub(crate) async fn ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let mut connection = self.client().get_multiplexed_async_connection().await.unwrap();
        let (name, rest) = words.split_first().unwrap();
        let mut command = redis::cmd(name);
        rest.iter().for_each(|word| {
            command.arg(word);
        });
        command.query_async(&mut connection).await.unwrap()
    }

    pub(crate) async fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.ask(&["KEYS", "*"]).await;
        keys.sort();
        keys
    }

    /// Lets time pass for all keys. On a thread of its own, because a test cannot wait in the middle of its runtime.
    #[expect(clippy::disallowed_methods, reason = "a runtime cannot wait for itself")]
    pub(crate) fn age(&self, by: Duration) {
        let client = self.client();
        let aging = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let mut connection = client.get_multiplexed_async_connection().await.unwrap();
                let keys: Vec<String> =
                    redis::cmd("KEYS").arg("*").query_async(&mut connection).await.unwrap();
                for key in keys {
                    let left: i64 =
                        redis::cmd("PTTL").arg(&key).query_async(&mut connection).await.unwrap();
                    if left < 0 {
                        continue;
                    }
                    let left = left - i64::try_from(by.as_millis()).unwrap();
                    // Redis removes a key whose time to live is not positive.
                    let aged = redis::cmd("PEXPIRE").arg(&key).arg(left).to_owned();
                    aged.query_async::<()>(&mut connection).await.unwrap();
                }
            });
        });
        aging.join().unwrap();
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// These settings with this Redis.
    pub(crate) fn settings(&self, settings: ChatSettings) -> ChatSettings {
        let connection_string = Secret::new(self.address());
        let redis = RedisSettings { connection_string, ..settings.redis };
        ChatSettings { redis, ..settings }
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
