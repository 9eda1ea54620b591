//! How the new platform is reached: the settings group `Smp`.

use client::Environment;
use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

use crate::error::Result;
use crate::platform::{PlatformHttp, PlatformTokens};
use crate::vault::{VaultAuth, VaultSettings};

/// The settings of the new platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct SmpSettings {
    /// What it is.
    pub kind: SmpKind,
    /// Its address. For `rest`, `{path}` in it is replaced by the path of a secret; otherwise the path is appended.
    pub address: String,
    /// How to log in.
    pub auth: SmpAuth,
    /// The namespace, for `kv2`.
    pub namespace: String,
    /// The mount of secrets, for `kv2`.
    pub mount: String,
    /// The mount of the login method, for `kv2`; that of the method if it is empty.
    pub auth_mount: String,
    /// The token, for `token`.
    pub token: Secret,
    /// The role id, the role, or the id of the client.
    pub role: String,
    /// The secret id of an AppRole, or the secret of the client.
    pub secret_id: Secret,
    /// The token of the service account or issuer, for Kubernetes and JWT logins.
    pub jwt: Secret,
    /// A file with that token instead, read at each login.
    pub jwt_file: String,
    /// Where tokens come from, for `client-credentials`.
    pub token_address: String,
    /// The scope of those tokens.
    pub scope: String,
    /// The folder, for `directory`.
    pub folder: String,
    /// The key of the folder: 32 bytes in base64.
    pub key: Secret,
    /// Former keys, which still open what they sealed.
    pub former_keys: Vec<Secret>,
    /// Where the data is in the answers and bodies of `rest`: a member such as `data`; the whole body if it is empty.
    pub data_member: String,
    /// A file with certificates to trust besides those of the system.
    pub ca_file: String,
    /// Requests per second at most; 0 for no limit.
    pub requests_per_second: u32,
    /// Seconds that a request may take.
    pub timeout_seconds: u64,
}

/// What the new platform is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SmpKind {
    /// The key-value engine of a Vault in version 2, also `planisphere secret-migration vault`.
    Kv2,
    /// An HTTP service with GET and conditional PUT.
    Rest,
    /// Azure Key Vault.
    KeyVault,
    /// A folder of sealed files.
    Directory,
}

/// How to log in to the new platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SmpAuth {
    /// A token.
    Token,
    /// An AppRole, for `kv2`.
    #[serde(rename = "approle")]
    AppRole,
    /// The token of a service account, for `kv2`.
    Kubernetes,
    /// A JWT, for `kv2`.
    Jwt,
    /// Tokens for a client and its secret, for `rest` and `key-vault`.
    ClientCredentials,
}

impl Default for SmpSettings {
    fn default() -> Self {
        Self {
            kind: SmpKind::Kv2,
            address: "http://127.0.0.1:8210".to_owned(),
            auth: SmpAuth::Token,
            namespace: String::new(),
            mount: "secret".to_owned(),
            auth_mount: String::new(),
            token: Secret::default(),
            role: String::new(),
            secret_id: Secret::default(),
            jwt: Secret::default(),
            jwt_file: String::new(),
            token_address: String::new(),
            scope: String::new(),
            folder: String::new(),
            key: Secret::default(),
            former_keys: Vec::new(),
            data_member: String::new(),
            ca_file: String::new(),
            requests_per_second: 0,
            timeout_seconds: 30,
        }
    }
}

impl SmpSettings {
    /// The same as settings of a Vault; `None` for a login that a Vault does not have.
    pub(super) fn as_vault(&self) -> Option<VaultSettings> {
        let auth = match self.auth {
            SmpAuth::Token => VaultAuth::Token,
            SmpAuth::AppRole => VaultAuth::AppRole,
            SmpAuth::Kubernetes => VaultAuth::Kubernetes,
            SmpAuth::Jwt => VaultAuth::Jwt,
            SmpAuth::ClientCredentials => return None,
        };
        Some(VaultSettings {
            address: self.address.clone(),
            namespace: self.namespace.clone(),
            mount: self.mount.clone(),
            auth,
            auth_mount: self.auth_mount.clone(),
            token: self.token.clone(),
            role: self.role.clone(),
            secret_id: self.secret_id.clone(),
            jwt: self.jwt.clone(),
            jwt_file: self.jwt_file.clone(),
            ca_file: self.ca_file.clone(),
            requests_per_second: self.requests_per_second,
            timeout_seconds: self.timeout_seconds,
            ..VaultSettings::default()
        })
    }
}

impl SmpSettings {
    pub(super) fn open_http(&self, environment: Environment) -> Result<PlatformHttp> {
        let (timeout, limit) = (self.timeout_seconds, self.requests_per_second);
        PlatformHttp::open("Smp", &self.address, &self.ca_file, timeout, limit, environment)
    }

    /// Where access tokens come from; `scope` if the settings name none.
    pub(super) fn access_tokens(&self, scope: &str) -> PlatformTokens {
        if self.auth != SmpAuth::ClientCredentials {
            return PlatformTokens::Fixed(self.token.clone());
        }
        let scope = if self.scope.is_empty() { scope } else { &self.scope };
        PlatformTokens::Issuer {
            address: self.token_address.clone(),
            client_id: self.role.clone(),
            client_secret: self.secret_id.clone(),
            scope: scope.to_owned(),
            current: tokio::sync::Mutex::new(None),
        }
    }
}

impl SettingsSection for SmpSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let is_folder = self.kind == SmpKind::Directory;
        validator.require(
            "Folder",
            !is_folder || !self.folder.is_empty(),
            "the kind 'directory' needs a folder",
        );
        validator.require(
            "Key",
            !is_folder || self.key.is_set(),
            "the kind 'directory' needs a key",
        );
        let is_client = self.auth == SmpAuth::ClientCredentials;
        let fits = match self.kind {
            SmpKind::Kv2 => !is_client,
            SmpKind::Rest | SmpKind::KeyVault => is_client || self.auth == SmpAuth::Token,
            SmpKind::Directory => true,
        };
        validator.require("Auth", fits, "this kind of platform has no such login");
        validator.require(
            "TokenAddress",
            !is_client || self.token_address.starts_with("http"),
            "client-credentials need the http or https address of tokens",
        );
    }
}
