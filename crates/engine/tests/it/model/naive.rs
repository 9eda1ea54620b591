//! The simplest possible database: a map, a clock and the rules.

use std::collections::BTreeMap;

use engine::ErrorKind;

use super::step::{Bound, Content, Write};

/// An item in the naive database.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) content: Content,
    pub(super) etag: String,
    pub(super) written: u64,
}

/// The result of a write: the text of the item, or `None` after a delete.
pub(super) type Answer = Result<Option<String>, ErrorKind>;

#[derive(Clone, Debug, Default)]
pub(super) struct Naive {
    pub(super) items: BTreeMap<(usize, usize), Stored>,
    /// Zero is off.
    pub(super) default_time_to_live: i64,
    pub(super) now: u64,
}

pub(super) fn text(pk: usize, id: usize, content: &Content) -> String {
    let mut text = format!(r#"{{"id":"i{id}","pk":"p{pk}","n":{}"#, content.number);
    if let Some(unique) = content.unique {
        text += &format!(r#","u":{unique}"#);
    }
    if let Some(ttl) = content.ttl {
        text += &format!(r#","ttl":{ttl}"#);
    }
    if content.extra {
        text += r#","extra":{"deep":["x",null,1.5]}"#;
    }
    text + "}"
}

impl Naive {
    pub(super) fn is_alive(&self, stored: &Stored) -> bool {
        let seconds = match (self.default_time_to_live, stored.content.ttl) {
            (0, _) | (_, Some(-1)) | (-1, None) => return true,
            (_, Some(seconds)) | (seconds, None) => seconds,
        };
        stored.written + seconds.unsigned_abs() > self.now
    }

    pub(super) fn get(&self, pk: usize, id: usize) -> Option<&Stored> {
        self.items.get(&(pk, id)).filter(|stored| self.is_alive(stored))
    }

    pub(super) fn alive(&self) -> impl Iterator<Item = ((usize, usize), &Stored)> {
        let alive = self.items.iter().filter(|(_, stored)| self.is_alive(stored));
        alive.map(|(place, stored)| (*place, stored))
    }

    /// Removes the expired items and returns their ids.
    pub(super) fn sweep(&mut self) -> Vec<(usize, usize)> {
        let alive: Vec<_> = self.alive().map(|(place, _)| place).collect();
        let expired = self.items.extract_if(.., |place, _| !alive.contains(place));
        expired.map(|(place, _)| place).collect()
    }

    pub(super) fn delete_partition(&mut self, pk: usize) -> u64 {
        let gone = self.alive().filter(|((of, _), _)| *of == pk).count();
        self.items.retain(|(of, _), _| *of != pk);
        gone as u64
    }

    /// Applies a write; the caller fills in the etag of a written item.
    pub(super) fn write(&mut self, pk: usize, id: usize, write: &Write) -> Answer {
        let current = self.get(pk, id).map(|stored| stored.content.clone());
        match (write, current) {
            (Write::Create(_), Some(_)) => Err(ErrorKind::Conflict),
            (Write::Create(content) | Write::Upsert(content, _), None) => {
                self.put(pk, id, content.clone())
            }
            (_, None) => Err(ErrorKind::NotFound),
            (Write::Upsert(_, bound) | Write::Replace(_, bound), Some(_))
            | (Write::Increment(bound) | Write::Delete(bound), Some(_))
                if *bound == Bound::Stale =>
            {
                Err(ErrorKind::PreconditionFailed)
            }
            (Write::Upsert(content, _) | Write::Replace(content, _), Some(_)) => {
                self.put(pk, id, content.clone())
            }
            (Write::Increment(_), Some(mut content)) => {
                content.number += 1;
                self.put(pk, id, content)
            }
            (Write::SetUnique(unique), Some(mut content)) => {
                content.unique = Some(*unique);
                self.put(pk, id, content)
            }
            (Write::RemoveUnique, Some(content)) if content.unique.is_none() => {
                Err(ErrorKind::Invalid)
            }
            (Write::RemoveUnique, Some(mut content)) => {
                content.unique = None;
                self.put(pk, id, content)
            }
            (Write::Delete(_), Some(_)) => {
                self.items.remove(&(pk, id));
                Ok(None)
            }
            (Write::Read, Some(content)) => Ok(Some(text(pk, id, &content))),
        }
    }

    fn put(&mut self, pk: usize, id: usize, content: Content) -> Answer {
        let is_taken = self.alive().any(|((other_pk, other_id), stored)| {
            other_pk == pk && other_id != id && stored.content.unique == content.unique
        });
        if is_taken {
            return Err(ErrorKind::Conflict);
        }
        let written = text(pk, id, &content);
        let stored = Stored { content, etag: String::new(), written: self.now };
        self.items.insert((pk, id), stored);
        Ok(Some(written))
    }
}
