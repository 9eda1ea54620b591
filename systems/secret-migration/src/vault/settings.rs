//! How a Vault is reached: the settings group `Vault`, and that of a target with the same protocol.

use serde::{Deserialize, Serialize};
use service::settings::Secret;

/// The settings of a Vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct VaultSettings {
    /// Its address, such as `https://vault.example:8200`.
    pub address: String,
    /// The namespace of the Vault, if it has namespaces.
    pub namespace: String,
    /// The mount of secrets.
    pub mount: String,
    /// The version of the key-value engine: 1 or 2.
    pub engine_version: u8,
    /// How to log in.
    pub auth: VaultAuth,
    /// The mount of the login method; that of the method if it is empty.
    pub auth_mount: String,
    /// The token, for `token`.
    pub token: Secret,
    /// The token is looked up at first and renewed before it ends, for `token`.
    pub renew_token: bool,
    /// The role id of an AppRole, or the role of Kubernetes and JWT logins.
    pub role: String,
    /// The secret id of an AppRole.
    pub secret_id: Secret,
    /// The token of the service account or issuer, for Kubernetes and JWT logins.
    pub jwt: Secret,
    /// A file with that token instead, read at each login: Kubernetes replaces the token of a pod from time to time.
    pub jwt_file: String,
    /// A file with certificates to trust besides those of the system.
    pub ca_file: String,
    /// Requests per second at most; 0 for no limit.
    pub requests_per_second: u32,
    /// Seconds that a request may take.
    pub timeout_seconds: u64,
}

/// How to log in to a Vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VaultAuth {
    /// A token.
    Token,
    /// An AppRole.
    AppRole,
    /// The token of a service account.
    Kubernetes,
    /// A JWT.
    Jwt,
}

impl Default for VaultSettings {
    fn default() -> Self {
        Self {
            address: "http://127.0.0.1:8200".to_owned(),
            namespace: String::new(),
            mount: "secret".to_owned(),
            engine_version: 2,
            auth: VaultAuth::Token,
            auth_mount: String::new(),
            token: Secret::default(),
            renew_token: false,
            role: String::new(),
            secret_id: Secret::default(),
            jwt: Secret::default(),
            jwt_file: String::new(),
            ca_file: String::new(),
            requests_per_second: 0,
            timeout_seconds: 30,
        }
    }
}

impl VaultSettings {
    /// The path of the login, below `/v1/`.
    pub(super) fn login_path(&self) -> String {
        let own = match self.auth {
            VaultAuth::Token => "token",
            VaultAuth::AppRole => "approle",
            VaultAuth::Kubernetes => "kubernetes",
            VaultAuth::Jwt => "jwt",
        };
        let mount = if self.auth_mount.is_empty() { own } else { &self.auth_mount };
        format!("auth/{mount}/login")
    }
}
