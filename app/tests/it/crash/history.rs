//! What must be true of the store, from what the writer reported on the pipe.
//!
//! Every acknowledged write is there; a write that was begun and not acknowledged is there whole or not at all; nothing
//! else is there.

use std::collections::HashMap;

use model::{Json, is_system_property};

use super::effect::{Effect, Kind, Place, SHORT_TTL_SECONDS};

/// What the store holds after a crash.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) items: HashMap<Place, Json>,
    /// Newest change of each item in the change feed, by its serial number.
    pub(crate) changes: HashMap<Place, i64>,
    pub(crate) policies: HashMap<Kind, u32>,
    /// The second before anything was read.
    pub(crate) second: u64,
}

/// What the writer has reported so far.
#[derive(Debug, Default)]
pub(crate) struct History {
    items: HashMap<Place, Put>,
    policies: HashMap<Kind, u32>,
    /// At most one write per writer is under way.
    begun: HashMap<u32, (u64, Vec<Effect>)>,
    pub(crate) acknowledged: u64,
    /// Splits and merges that were carried out.
    pub(crate) restructured: u64,
}

#[derive(Clone, Copy, Debug)]
struct Put {
    serial: u64,
}

impl History {
    /// Reads one whole line from the pipe.
    pub(crate) fn hear(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split(' ');
        let first = words.next().unwrap_or_default();
        if first == "violation" {
            return Err(line.to_owned());
        }
        if first == "restructured" {
            self.restructured += 1;
        }
        if first != "begin" && first != "done" {
            return Ok(());
        }
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let (writer, serial) = number().zip(number()).ok_or_else(|| format!("odd line {line}"))?;
        let writer = u32::try_from(writer).unwrap();
        if first == "begin" {
            let effects = words.map(Effect::parse).collect::<Option<Vec<_>>>();
            let effects = effects.ok_or_else(|| format!("odd line {line}"))?;
            let before = self.begun.insert(writer, (serial, effects));
            return before.map_or(Ok(()), |before| Err(format!("{before:?} was never ended")));
        }
        match self.begun.remove(&writer) {
            Some((begun, effects)) if begun == serial => self.apply(serial, &effects),
            other => return Err(format!("{line} ends {other:?}")),
        }
        self.acknowledged += 1;
        Ok(())
    }

    /// Compares, and takes over what was written without being acknowledged.
    pub(crate) fn judge(&mut self, observed: &Observed) -> Result<(), String> {
        for (writer, (serial, effects)) in std::mem::take(&mut self.begun) {
            let is_new = |effect: &Effect| match effect {
                Effect::Put(place) => observed.holds(*place, Some(Put { serial })),
                Effect::Delete(place) => observed.holds(*place, None),
                Effect::Policy(kind, number) => observed.policies.get(kind) == Some(number),
            };
            let is_old = |effect: &Effect| match effect {
                Effect::Put(place) | Effect::Delete(place) => {
                    observed.holds(*place, self.items.get(place).copied())
                }
                Effect::Policy(kind, _) => {
                    observed.policies.get(kind).unwrap_or(&0)
                        == self.policies.get(kind).unwrap_or(&0)
                }
            };
            if effects.iter().all(is_new) {
                self.apply(serial, &effects);
            } else if !effects.iter().all(is_old) {
                return Err(format!("writer {writer}: {serial} {effects:?} is there in part"));
            }
        }
        self.compare(observed)
    }

    fn compare(&mut self, observed: &Observed) -> Result<(), String> {
        for (place, put) in &self.items {
            if !observed.holds(*place, Some(*put)) {
                let found = observed.items.get(place);
                return Err(format!("{place:?} was acknowledged as {put:?}; found {found:?}"));
            }
        }
        for (place, item) in &observed.items {
            if !self.items.contains_key(place) {
                return Err(format!("{place:?} was deleted or never written; found {item}"));
            }
        }
        for (kind, number) in &self.policies {
            if observed.policies.get(kind) != Some(number) {
                return Err(format!("{kind:?} has not policy {number}: {:?}", observed.policies));
            }
        }
        self.compare_changes(observed)?;
        // What has expired must not come back either.
        self.items.retain(|place, _| observed.items.contains_key(place));
        Ok(())
    }

    /// The feed of newest versions holds exactly the items that are there.
    fn compare_changes(&self, observed: &Observed) -> Result<(), String> {
        for (place, item) in observed.items.iter().filter(|(place, _)| !place.expires()) {
            let serial = item.get("serial").and_then(Json::as_i64);
            if observed.changes.get(place).copied() != serial {
                let change = observed.changes.get(place);
                return Err(format!("{place:?} is {serial:?} but its change says {change:?}"));
            }
        }
        let mut changed = observed.changes.iter().filter(|(place, _)| !place.expires());
        match changed.find(|(place, _)| !observed.items.contains_key(place)) {
            Some(change) => Err(format!("the change feed has {change:?}, which was never written")),
            None => Ok(()),
        }
    }

    fn apply(&mut self, serial: u64, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Put(place) => {
                    self.items.insert(*place, Put { serial });
                }
                Effect::Delete(place) => {
                    self.items.remove(place);
                }
                Effect::Policy(kind, number) => {
                    self.policies.insert(*kind, *number);
                }
            }
        }
    }
}

impl Observed {
    fn holds(&self, place: Place, put: Option<Put>) -> bool {
        match (self.items.get(&place), put) {
            (None, None) => true,
            // Whether its two seconds are over is not known here to the second.
            (None, Some(_)) => place.expires(),
            (Some(_), None) => false,
            (Some(item), Some(put)) => {
                without_system_properties(item) == place.item(put.serial)
                    && (!place.expires() || !self.is_overdue(item))
            }
        }
    }

    fn is_overdue(&self, item: &Json) -> bool {
        let written = item.get("_ts").and_then(Json::as_i64).unwrap_or(0).unsigned_abs();
        written + SHORT_TTL_SECONDS < self.second
    }
}

fn without_system_properties(item: &Json) -> Json {
    let mut object = item.as_object().unwrap().clone();
    let names: Vec<String> = object.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names.iter().filter(|name| is_system_property(name)) {
        object.remove(name);
    }
    Json::Object(object)
}
