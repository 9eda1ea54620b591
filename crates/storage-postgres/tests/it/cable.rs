//! The cable between a store and its server: a proxy on loopback that can be cut, and counts connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// One cable. It ends with the test.
pub(crate) struct Cable {
    port: u16,
    is_cut: watch::Sender<bool>,
    connections: Arc<AtomicUsize>,
}

impl Cable {
    pub(crate) async fn to(server_port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (is_cut, watched) = watch::channel(false);
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(forward(client, server_port, watched.clone()));
            }
        });
        Self { port, is_cut, connections }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Connections that were opened so far, also while the cable was cut.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Ends all connections; new ones are accepted and hear nothing.
    pub(crate) fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    /// Ends the connections that hear nothing, and forwards new ones.
    pub(crate) fn mend(&self) {
        self.is_cut.send_replace(false);
    }
}

async fn forward(mut client: TcpStream, server_port: u16, mut is_cut: watch::Receiver<bool>) {
    if *is_cut.borrow_and_update() {
        let _ = is_cut.changed().await;
        return;
    }
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", server_port)).await else { return };
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = is_cut.changed() => {}
    }
}
