//! Sign-in by an issuer: which of its people are users here.
//!
//! Nobody is provisioned: a user must already have the name of the issuer (`upn`). The flow itself is that of
//! `service`.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use service::identity::{AdmittedPerson, PersonAdmission};

use crate::chat::ChatCore;
use crate::domain::{ChatUser, UserName};
use crate::http::CHAT_ADMIN_ROLE;

/// The tenant of personal accounts, which belong to nobody's organisation.
const CONSUMER_TENANT: &str = "9188040d-6c67-4c5b-b112-36a304b66dad";

/// Admits users with a known name at the issuer.
pub(crate) struct IssuerAdmission(pub(crate) Arc<ChatCore>);

#[async_trait]
impl PersonAdmission for IssuerAdmission {
    async fn admit(&self, claims: &Map<String, Value>) -> Result<AdmittedPerson, String> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let core = &self.0;
        let rules = &core.settings.entra_id.authorization;
        let tenant = text("tid");
        if tenant == Some(CONSUMER_TENANT) {
            return Err("it is a personal account".to_owned());
        }
        let is_allowed = |tenant: &str| {
            rules.allowed_tenants.iter().any(|allowed| allowed.eq_ignore_ascii_case(tenant))
        };
        if rules.require_tenant_validation && !tenant.is_some_and(is_allowed) {
            return Err(format!("the tenant {tenant:?} is not in AllowedTenants"));
        }
        let upn = text("upn").or_else(|| text("preferred_username"));
        let upn = upn.ok_or("the token has neither 'upn' nor 'preferred_username'")?;
        let found = core.users.get_by_upn(upn).await.map_err(|error| error.to_string())?.value;
        let user = found.filter(ChatUser::is_enabled);
        let user =
            user.ok_or("no enabled user has this upn; set it with `planisphere chat users`")?;
        let mut roles = Vec::new();
        let is_home = tenant.is_some() && tenant == Some(rules.home_tenant_id.as_str());
        if is_home && has_role(claims, &rules.admin_role_value) {
            roles.push(CHAT_ADMIN_ROLE.to_owned());
        }
        let subject = user.user_name.clone();
        core.update_profile(user, claims).await;
        Ok(AdmittedPerson { subject, roles })
    }
}

fn has_role(claims: &Map<String, Value>, role: &str) -> bool {
    let roles = claims.get("roles").and_then(Value::as_array);
    roles.is_some_and(|roles| roles.iter().any(|one| one.as_str() == Some(role)))
}

impl ChatCore {
    /// Keeps what the issuer says about a user. A failure does not keep the user out.
    async fn update_profile(&self, user: ChatUser, claims: &Map<String, Value>) {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_country = |country: &String| {
            country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase())
        };
        let changed = ChatUser {
            tenant_id: text("tid").or(user.tenant_id.clone()),
            display_name: text("name").or(user.display_name.clone()),
            country: text("ctry").filter(is_country).or(user.country.clone()),
            region: text("state").or(user.region.clone()),
            ..user.clone()
        };
        if changed == user {
            return;
        }
        if let Err(error) = self.users.upsert(&changed).await {
            tracing::warn!(%error, "the profile of a user could not be updated");
        }
        if let Ok(name) = UserName::parse(&changed.user_name) {
            self.directory.forget_user(&name);
        }
    }
}
