//! What happened, in order, as one number.

use std::fmt::Arguments;
use std::sync::{Arc, Mutex};

/// A hash of all events so far (FNV-1a) and how many there were.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace(Arc<Mutex<(u64, u64)>>);

impl Trace {
    pub(super) fn event(&self, text: Arguments<'_>) {
        let mut state = self.0.lock().unwrap();
        for byte in text.to_string().bytes().chain([b'\n']) {
            state.0 = (state.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        state.1 += 1;
    }

    /// The hash and the number of events.
    pub(super) fn sum(&self) -> (u64, u64) {
        *self.0.lock().unwrap()
    }
}
