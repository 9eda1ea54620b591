//! A Planisphere server on a socket of this test, and accounts that are connected to it.

use client::Account;
use engine::Engine;
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A running server; it stops when this is dropped.
pub(crate) struct Server {
    pub(crate) connection_string: String,
    _stop: oneshot::Sender<()>,
}

impl Server {
    pub(crate) async fn start(engine: &Engine) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        // Clients sign with the machine's clock, and the engine's clock travels.
        let settings =
            GatewaySettings { clock_skew_max_seconds: None, ..GatewaySettings::default() };
        let gateway = Gateway::new(engine.clone(), settings);
        tokio::spawn(async move {
            gateway
                .serve(listener, async {
                    let _ = stopped.await;
                })
                .await;
        });
        let connection_string =
            format!("AccountEndpoint=http://{address}/;AccountKey={EMULATOR_KEY};");
        Self { connection_string, _stop: stop }
    }

    pub(crate) async fn connect(&self) -> Account {
        let account = Account::connect(self.connection_string.as_str()).await.unwrap();
        assert!(account.is_connected());
        account
    }
}
