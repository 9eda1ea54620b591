//! The open connections of this instance by id, group and user.
//!
//! Does not own membership on other instances; each knows its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::fast::RandomState;

use super::audience::Audience;
use super::backplane::BackplaneTopic;
use super::encoded::EncodedMessage;
use crate::connection::{HubConnection, lock};
use crate::ids::ConnectionId;
use crate::message::HubProtocol;

type ConnectionsById = HashMap<ConnectionId, Arc<HubConnection>, RandomState>;
type Named = HashMap<Arc<str>, ConnectionsById, RandomState>;

/// The open connections of this instance.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tables: RwLock<Tables>,
    json: AtomicUsize,
    message_pack: AtomicUsize,
}

#[derive(Debug, Default)]
struct Tables {
    connections: ConnectionsById,
    groups: Named,
    users: Named,
}

/// What a change of a group led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupChange {
    /// The connection is not on this instance.
    NotHere,
    /// Done, and the group has connections here before and after.
    Done,
    /// The group has its first connection here, or lost its last.
    Turned,
}

impl Registry {
    /// Makes a connection reachable. Topics that are new on this instance are returned.
    pub(crate) fn add(
        &self,
        connection: &Arc<HubConnection>,
        protocol: HubProtocol,
    ) -> Vec<BackplaneTopic> {
        let mut tables = self.write();
        // Counted before it is reachable: a message that finds the connection was encoded for it.
        self.count(protocol).fetch_add(1, Ordering::AcqRel);
        tables.connections.insert(connection.id.clone(), Arc::clone(connection));
        let mut topics = vec![BackplaneTopic::Connection(connection.id.to_string())];
        if let Some(user) = connection.user() {
            let members = tables.users.entry(Arc::clone(user)).or_default();
            if members.is_empty() {
                topics.push(BackplaneTopic::User(user.to_string()));
            }
            members.insert(connection.id.clone(), Arc::clone(connection));
        }
        topics
    }

    /// Makes a connection unreachable. Topics that have no connection here any more are returned.
    pub(crate) fn remove(
        &self,
        connection: &HubConnection,
        protocol: HubProtocol,
    ) -> Vec<BackplaneTopic> {
        let mut tables = self.write();
        let tables = &mut *tables;
        if tables.connections.remove(&connection.id).is_none() {
            return Vec::new();
        }
        self.count(protocol).fetch_sub(1, Ordering::AcqRel);
        let mut topics = vec![BackplaneTopic::Connection(connection.id.to_string())];
        if let Some(user) = connection.user()
            && leave(&mut tables.users, user, &connection.id)
        {
            topics.push(BackplaneTopic::User(user.to_string()));
        }
        for group in std::mem::take(&mut *lock(&connection.groups)) {
            if leave(&mut tables.groups, &group, &connection.id) {
                topics.push(BackplaneTopic::Group(group.to_string()));
            }
        }
        topics
    }

    pub(crate) fn join(&self, id: &ConnectionId, group: &str) -> GroupChange {
        let mut tables = self.write();
        // A connection that has ended must not come back as a member.
        let Some(connection) = tables.connections.get(id).cloned() else {
            return GroupChange::NotHere;
        };
        let name: Arc<str> = match tables.groups.get_key_value(group) {
            Some((name, _)) => Arc::clone(name),
            None => group.into(),
        };
        lock(&connection.groups).insert(Arc::clone(&name));
        let members = tables.groups.entry(name).or_default();
        let turned = members.is_empty();
        members.insert(id.clone(), connection);
        if turned { GroupChange::Turned } else { GroupChange::Done }
    }

    pub(crate) fn leave(&self, id: &ConnectionId, group: &str) -> GroupChange {
        let mut tables = self.write();
        let Some(connection) = tables.connections.get(id).cloned() else {
            return GroupChange::NotHere;
        };
        lock(&connection.groups).remove(group);
        match leave(&mut tables.groups, group, id) {
            true => GroupChange::Turned,
            false => GroupChange::Done,
        }
    }

    pub(crate) fn connection(&self, id: &ConnectionId) -> Option<Arc<HubConnection>> {
        self.read().connections.get(id).cloned()
    }

    /// Hands a message to every receiver on this instance.
    pub(crate) fn deliver(&self, to: &Audience, message: &EncodedMessage) {
        let tables = self.read();
        let send = |connection: &HubConnection| {
            let protocol = connection.protocol();
            if let Some(frame) = protocol.and_then(|protocol| message.frame(protocol)) {
                connection.deliver(frame);
            }
        };
        let send_all = |members: &ConnectionsById, except: &[ConnectionId]| {
            for (id, connection) in members {
                if !except.contains(id) {
                    send(connection);
                }
            }
        };
        match to {
            Audience::All { except } => send_all(&tables.connections, except),
            Audience::Connections(ids) => {
                ids.iter()
                    .filter_map(|id| tables.connections.get(id))
                    .for_each(|found| send(found));
            }
            Audience::Groups { groups, except } => {
                let found = groups.iter().filter_map(|group| tables.groups.get(group.as_str()));
                found.for_each(|members| send_all(members, except));
            }
            Audience::Users(users) => {
                let found = users.iter().filter_map(|user| tables.users.get(user.as_str()));
                found.for_each(|members| send_all(members, &[]));
            }
        }
    }

    /// How many connections speak a protocol.
    pub(crate) fn speaking(&self, protocol: HubProtocol) -> usize {
        self.count(protocol).load(Ordering::Acquire)
    }

    /// ConnectionsById of a group on this instance.
    pub(crate) fn group_members(&self, group: &str) -> usize {
        self.read().groups.get(group).map_or(0, HashMap::len)
    }

    fn count(&self, protocol: HubProtocol) -> &AtomicUsize {
        match protocol {
            HubProtocol::Json => &self.json,
            HubProtocol::MessagePack => &self.message_pack,
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes a member. True: it was the last one.
fn leave(named: &mut Named, name: &str, id: &ConnectionId) -> bool {
    let Some((name, _)) = named.get_key_value(name) else { return false };
    let Entry::Occupied(mut entry) = named.entry(Arc::clone(name)) else { return false };
    let was_member = entry.get_mut().remove(id).is_some();
    let is_last = was_member && entry.get().is_empty();
    if is_last {
        entry.remove();
    }
    is_last
}
