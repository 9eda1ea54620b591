//! The group `EntraId`: sign-in by an issuer that speaks OpenID Connect.

use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

/// The tenant of an issuer for all organisations.
const ORGANIZATIONS: &str = "organizations";

/// The group `EntraId`. Without a client id it is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct EntraSettings {
    /// Address of the issuer, without the tenant.
    pub instance: String,
    /// The tenant in the address; `organizations` for those of several.
    pub tenant_id: String,
    /// The id of this application at the issuer.
    pub client_id: String,
    /// Its secret.
    pub client_secret: Secret,
    /// Where the issuer sends people back to.
    pub callback_path: String,
    /// Where the issuer sends people after they have signed out.
    pub signed_out_callback_path: String,
    /// Who may sign in.
    pub authorization: EntraAuthorization,
    /// One-time codes beside the issuer.
    pub fallback: EntraFallback,
    /// Sign-in without a click.
    pub automatic_sso: AutomaticSsoSettings,
}

/// The group `EntraId:Authorization`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct EntraAuthorization {
    /// Tenants whose people may sign in.
    pub allowed_tenants: Vec<String>,
    /// People of other tenants are refused.
    pub require_tenant_validation: bool,
    /// The tenant whose role makes an administrator.
    pub home_tenant_id: String,
    /// That role.
    pub admin_role_value: String,
}

/// The group `EntraId:Fallback`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct EntraFallback {
    /// One-time codes stay possible.
    pub enable_otp: bool,
    /// The page offers a one-time code also to people whom the issuer knows and we do not admit.
    pub otp_for_unauthorized_users: bool,
}

/// The group `EntraId:AutomaticSso`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct AutomaticSsoSettings {
    /// The page goes to the issuer by itself.
    pub enable: bool,
    /// Only once in a browser session.
    pub attempt_once_per_session: bool,
    /// The cookie that remembers it.
    pub attempt_cookie_name: String,
}

impl Default for EntraSettings {
    fn default() -> Self {
        Self {
            instance: "https://login.microsoftonline.com/".to_owned(),
            tenant_id: "organizations".to_owned(),
            client_id: String::new(),
            client_secret: Secret::default(),
            callback_path: "/signin-oidc".to_owned(),
            signed_out_callback_path: "/signout-oidc".to_owned(),
            authorization: EntraAuthorization::default(),
            fallback: EntraFallback::default(),
            automatic_sso: AutomaticSsoSettings::default(),
        }
    }
}

impl Default for EntraAuthorization {
    fn default() -> Self {
        Self {
            allowed_tenants: Vec::new(),
            require_tenant_validation: true,
            home_tenant_id: String::new(),
            admin_role_value: "Admin.ReadWrite".to_owned(),
        }
    }
}

impl Default for EntraFallback {
    fn default() -> Self {
        Self { enable_otp: true, otp_for_unauthorized_users: false }
    }
}

impl Default for AutomaticSsoSettings {
    fn default() -> Self {
        Self {
            enable: false,
            attempt_once_per_session: true,
            attempt_cookie_name: "sso_attempted".to_owned(),
        }
    }
}

impl EntraSettings {
    /// The name of the issuer in its tokens; that of an issuer of many tenants has `{tenantid}` in its place.
    #[must_use]
    pub fn issuer(&self) -> String {
        let tenant = if self.tenant_id == ORGANIZATIONS { "{tenantid}" } else { &self.tenant_id };
        format!("{}/{tenant}/v2.0", self.instance.trim_end_matches('/'))
    }

    /// Whether people can sign in by a one-time code.
    #[must_use]
    pub fn has_codes(&self) -> bool {
        !self.is_enabled() || self.fallback.enable_otp
    }

    /// Whether people can sign in by the issuer.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        !self.client_id.is_empty()
    }
}

impl SettingsSection for EntraSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        if !self.is_enabled() {
            return;
        }
        let is_web = self.instance.starts_with("http://") || self.instance.starts_with("https://");
        validator.require("Instance", is_web, "an http or https address");
        for (name, path) in [
            ("CallbackPath", &self.callback_path),
            ("SignedOutCallbackPath", &self.signed_out_callback_path),
        ] {
            validator.require(name, path.starts_with('/'), "a path that begins with '/'");
        }
        // Both let personal accounts in.
        let is_tenant = !matches!(self.tenant_id.as_str(), "" | "common" | "consumers");
        validator.require("TenantId", is_tenant, "a tenant, or organizations");
        let is_checked =
            self.tenant_id != ORGANIZATIONS || self.authorization.require_tenant_validation;
        let allowed = "true, because TenantId=organizations lets every organisation in";
        validator.require("Authorization:RequireTenantValidation", is_checked, allowed);
        let is_cookie_name = !self.automatic_sso.attempt_cookie_name.is_empty()
            && (self.automatic_sso.attempt_cookie_name.bytes())
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        let allowed = "letters, digits, '_' and '-'";
        validator.require("AutomaticSso:AttemptCookieName", is_cookie_name, allowed);
        let names_tenants = !self.authorization.require_tenant_validation
            || !self.authorization.allowed_tenants.is_empty();
        let allowed = "at least one tenant, or RequireTenantValidation=false";
        validator.require("Authorization:AllowedTenants", names_tenants, allowed);
    }
}
