//! The envelope of feeds: `{"_rid":...,"<Name>":[...],"_count":n}`.
//!
//! Owns its text; entries are texts already and are copied as they are.

use std::io::Write as _;

use model::{Json, ResourceId};

use super::decimal::Decimal;

/// A feed under construction.
#[derive(Debug)]
pub(crate) struct Envelope {
    text: Vec<u8>,
    count: usize,
}

impl Envelope {
    /// A feed of entries under a parent; the account has no resource id.
    pub(crate) fn new(parent: Option<&ResourceId>, name: &str, bytes: usize) -> Self {
        let mut text = Vec::with_capacity(bytes + 96);
        text.extend_from_slice(b"{\"_rid\":\"");
        if let Some(rid) = parent {
            // A vector takes every write.
            let _ = write!(text, "{rid}");
        }
        text.extend_from_slice(b"\",\"");
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b"\":[");
        Self { text, count: 0 }
    }

    pub(crate) fn of_values(parent: Option<&ResourceId>, name: &str, values: &[Json]) -> Self {
        let mut envelope = Self::new(parent, name, 0);
        values.iter().for_each(|value| envelope.push(&value.to_bytes()));
        envelope
    }

    pub(crate) fn push(&mut self, entry: &[u8]) {
        if self.count > 0 {
            self.text.push(b',');
        }
        self.text.extend_from_slice(entry);
        self.count += 1;
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn into_text(mut self) -> Vec<u8> {
        self.text.extend_from_slice(b"],\"_count\":");
        self.text.extend_from_slice(Decimal::of(self.count as u64).as_bytes());
        self.text.push(b'}');
        self.text
    }
}
