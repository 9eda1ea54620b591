//! The groups `Cosmos` and `Testing`: where documents are.

use client::TimeToLive;
use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

/// The group `Testing`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct TestingSettings {
    /// Keeps documents and ephemeral state in memory: no account and no Redis are used.
    pub in_memory: bool,
}

/// The group `Cosmos`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct CosmosSettings {
    /// The account; the flags of the command name another one.
    pub connection_string: Secret,
    /// Name of the database.
    pub database: String,
    /// Creates missing containers at the start and updates their time to live; otherwise they must exist.
    pub auto_create: bool,
    /// Seconds after its last write at which a message expires; not set: never; -1: only messages with their own `ttl`.
    pub messages_ttl_seconds: Option<i64>,
    /// Name of the container of messages.
    pub messages_container: String,
    /// Name of the container of users.
    pub users_container: String,
    /// Name of the container of rooms.
    pub rooms_container: String,
    /// Name of the container of our own records: leases, reminders, counts, certificates, ended sessions.
    pub state_container: String,
    /// The first level of the hierarchical partition key `/tenantId,/roomName` of messages; empty while their key is
    /// `/roomName`. See the playbook `hierarchical-key`.
    pub messages_tenant: String,
}

impl Default for CosmosSettings {
    fn default() -> Self {
        Self {
            connection_string: Secret::default(),
            database: "chat".to_owned(),
            auto_create: true,
            messages_ttl_seconds: None,
            messages_container: "messages".to_owned(),
            users_container: "users".to_owned(),
            rooms_container: "rooms".to_owned(),
            state_container: "chat_state".to_owned(),
            messages_tenant: String::new(),
        }
    }
}

impl CosmosSettings {
    /// The time to live of `messages` by the setting alone; `None` if the value is not allowed.
    pub(crate) fn messages_time_to_live(&self) -> Option<TimeToLive> {
        match self.messages_ttl_seconds {
            None => Some(TimeToLive::Off),
            Some(-1) => Some(TimeToLive::NoDefault),
            Some(seconds) => {
                let seconds = u32::try_from(seconds).ok()?;
                let is_allowed = (1..=2_147_483_647).contains(&seconds);
                is_allowed.then_some(TimeToLive::Seconds(seconds))
            }
        }
    }
}

impl SettingsSection for CosmosSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let allowed = "not set (off), -1 (on without a default), or 1 to 2147483647 seconds";
        let is_allowed = self.messages_time_to_live().is_some();
        validator.require("MessagesTtlSeconds", is_allowed, allowed);
        for (name, value) in [
            ("Database", &self.database),
            ("MessagesContainer", &self.messages_container),
            ("UsersContainer", &self.users_container),
            ("RoomsContainer", &self.rooms_container),
            ("StateContainer", &self.state_container),
        ] {
            validator.require(name, !value.is_empty(), "a name");
        }
    }
}
