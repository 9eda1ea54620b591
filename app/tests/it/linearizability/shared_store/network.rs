//! The network between one process and the database: a proxy on loopback that can drop everything.
//!
//! Owns the sockets and the cut. While it is cut, bytes are neither delivered nor refused, as with a broken cable;
//! when it is mended, the connections of before are reset.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::clients::spawn;

const BUFFER_BYTES: usize = 64 * 1024;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// One process's network.
pub(super) struct Network {
    pub(super) port: u16,
    state: Arc<NetworkState>,
}

#[derive(Default)]
struct NetworkState {
    /// Counts cuts and mends: odd while it is cut.
    phase: AtomicU64,
    /// Both ends of each connection, by number.
    open: Mutex<HashMap<u64, [TcpStream; 2]>>,
    connections: AtomicU64,
}

impl NetworkState {
    fn is_cut(&self) -> bool {
        self.phase.load(Ordering::SeqCst) % 2 == 1
    }
}

impl Network {
    /// Begins to forward to a port. Its threads end with the test.
    pub(super) fn start(database_port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(NetworkState::default());
        let accepting = Arc::clone(&state);
        spawn(move || {
            for client in listener.incoming().flatten() {
                while accepting.is_cut() {
                    std::thread::sleep(LOOK_EVERY);
                }
                // The database is down: the client sees a connection that ends.
                let Ok(server) = TcpStream::connect(("127.0.0.1", database_port)) else { continue };
                connect(&accepting, &client, &server);
            }
        });
        Self { port, state }
    }

    pub(super) fn cut(&self) {
        self.state.phase.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn mend(&self) {
        for stream in self.state.open.lock().unwrap().drain().flat_map(|(_, ends)| ends) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.state.phase.fetch_add(1, Ordering::SeqCst);
    }
}

fn connect(state: &Arc<NetworkState>, client: &TcpStream, server: &TcpStream) {
    let copy = |stream: &TcpStream| stream.try_clone().unwrap();
    let number = state.connections.fetch_add(1, Ordering::SeqCst);
    state.open.lock().unwrap().insert(number, [copy(client), copy(server)]);
    for (from, to) in [(copy(client), copy(server)), (copy(server), copy(client))] {
        let _ = from.set_nodelay(true);
        let state = Arc::clone(state);
        spawn(move || forward(&state, number, from, to));
    }
}

fn forward(state: &NetworkState, number: u64, mut from: TcpStream, mut to: TcpStream) {
    let phase = state.phase.load(Ordering::SeqCst);
    let mut buffer = vec![0; BUFFER_BYTES];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        // What arrives while the network is cut, or came from before, is dropped.
        if state.phase.load(Ordering::SeqCst) != phase {
            continue;
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
    // Processes ask who has the lease on a new connection each time; its files must not pile up here.
    state.open.lock().unwrap().remove(&number);
}
