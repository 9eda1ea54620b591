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
    /// Request units per second up to which the database scales, if it is created; its containers share them. Not set:
    /// each container has its own.
    pub database_autoscale_max: Option<i64>,
    /// Request units per second of a container that is created in a database without throughput; 0: none, as an account
    /// without provisioned throughput needs it.
    pub container_throughput: i64,
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
            database_autoscale_max: None,
            container_throughput: 400,
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

impl CosmosSettings {
    /// Whether documents and keys do not travel in the clear: the account is reached by HTTPS, which private endpoints
    /// serve, too. On this machine they may.
    pub(crate) fn is_protected(&self) -> bool {
        let text = self.connection_string.expose();
        let members = text.split(';').filter_map(|member| member.split_once('='));
        let is_endpoint = |name: &str| name.trim().eq_ignore_ascii_case("AccountEndpoint");
        let mut endpoints = members.filter(|(name, _)| is_endpoint(name));
        endpoints.all(|(_, address)| {
            let Ok(url) = address.trim().parse::<reqwest::Url>() else { return false };
            let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
            url.scheme() == "https" || (url.scheme() == "http" && is_local)
        })
    }
}

impl SettingsSection for CosmosSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let allowed = "not set (off), -1 (on without a default), or 1 to 2147483647 seconds";
        let is_allowed = self.messages_time_to_live().is_some();
        validator.require("MessagesTtlSeconds", is_allowed, allowed);
        let is_step = |max: i64| max >= 1_000 && max % 1_000 == 0;
        let allowed = "not set, or 1000 and its multiples";
        validator.require(
            "DatabaseAutoscaleMax",
            self.database_autoscale_max.is_none_or(is_step),
            allowed,
        );
        let own = self.container_throughput;
        let is_allowed = own == 0 || (own >= 400 && own % 100 == 0);
        validator.require("ContainerThroughput", is_allowed, "0, or 400 and more, by 100");
        let allowed = "an https address (http on this machine only)";
        validator.require("ConnectionString", self.is_protected(), allowed);
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
