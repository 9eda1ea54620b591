//! What happened, in order, as one number, and how many operations that were.

use std::fmt::Arguments;
use std::sync::{Arc, Mutex};

/// A hash of all events so far (FNV-1a), and how many of them clients have caused.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace(Arc<Mutex<(u64, u64)>>);

impl Trace {
    pub(super) fn event(&self, text: Arguments<'_>) {
        let mut state = self.0.lock().unwrap();
        for byte in text.to_string().bytes().chain([b'\n']) {
            state.0 = (state.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    /// An event that ends an operation of a client.
    pub(super) fn operation(&self, text: Arguments<'_>) {
        self.event(text);
        self.0.lock().unwrap().1 += 1;
    }

    pub(super) fn hash(&self) -> u64 {
        self.0.lock().unwrap().0
    }

    pub(super) fn operations(&self) -> u64 {
        self.0.lock().unwrap().1
    }
}
