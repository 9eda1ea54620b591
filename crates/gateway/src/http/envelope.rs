//! The envelope of feeds: `{"_rid":...,"<Name>":[...],"_count":n}`.
//!
//! Owns its text. Entries arrive serialized and are copied without parsing them.

use std::io::Write as _;

use model::{Json, ResourceId};

/// The body of a feed under construction.
#[derive(Debug)]
pub(crate) struct Envelope {
    text: Vec<u8>,
    count: usize,
}

impl Envelope {
    /// Starts a feed of entries under a parent, with room for `bytes` of entries. The account has no resource id.
    pub(crate) fn new(parent: Option<&ResourceId>, name: &str, bytes: usize) -> Self {
        // 96 bytes are enough for the names around the entries, so the buffer never grows.
        let mut text = Vec::with_capacity(bytes + 96);
        text.extend_from_slice(b"{\"_rid\":\"");
        if let Some(rid) = parent {
            // Writing to a vector cannot fail.
            let _ = write!(text, "{rid}");
        }
        text.extend_from_slice(b"\",\"");
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b"\":[");
        Self { text, count: 0 }
    }

    pub(crate) fn from_values(parent: Option<&ResourceId>, name: &str, values: &[Json]) -> Self {
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
        self.text.extend_from_slice(itoa::Buffer::new().format(self.count).as_bytes());
        self.text.push(b'}');
        self.text
    }
}
