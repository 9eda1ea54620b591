//! A user, as the container `users` stores it.

use serde::{Deserialize, Serialize};

use super::RoomName;

/// One user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatUser {
    /// A GUID, made once.
    pub id: String,
    /// Who the user is; the partition key.
    pub user_name: String,
    /// The whole name.
    pub full_name: Option<String>,
    /// Address of a picture.
    pub avatar: Option<String>,
    /// Where one-time codes and reminders go.
    pub email: Option<String>,
    /// E.164, such as `+1234567890`.
    pub mobile: Option<String>,
    /// Whether the user may sign in; missing means yes.
    pub enabled: Option<bool>,
    /// The rooms that the user may see and use.
    pub fixed_rooms: Vec<String>,
    /// The room to start in.
    pub default_room: Option<String>,
    /// The name at the issuer; none for users of one-time codes only.
    pub upn: Option<String>,
    /// The tenant at the issuer.
    pub tenant_id: Option<String>,
    /// The shown name at the issuer.
    pub display_name: Option<String>,
    /// ISO 3166-1, two letters.
    pub country: Option<String>,
    /// State or region.
    pub region: Option<String>,
}

impl ChatUser {
    /// A user with these rooms; the first is the default.
    #[must_use]
    pub fn new(user_name: &str, full_name: &str, rooms: &[&str]) -> Self {
        Self {
            user_name: user_name.to_owned(),
            full_name: Some(full_name.to_owned()),
            email: user_name.contains('@').then(|| user_name.to_owned()),
            enabled: Some(true),
            fixed_rooms: rooms.iter().map(|room| (*room).to_owned()).collect(),
            default_room: rooms.first().map(|room| (*room).to_owned()),
            ..Self::default()
        }
    }

    /// Whether the user may sign in.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled.unwrap_or(true)
    }

    /// Whether the user may see and use a room.
    #[must_use]
    pub fn may_enter(&self, room: &RoomName) -> bool {
        self.fixed_rooms.iter().any(|own| own == room.as_str())
    }

    /// The room to start in: the default if it is allowed, else the first by name.
    #[must_use]
    pub fn first_room(&self) -> Option<RoomName> {
        let allowed = |name: &&String| self.fixed_rooms.contains(name);
        let first = self.default_room.as_ref().filter(allowed);
        let name = first.or_else(|| self.fixed_rooms.iter().min())?;
        RoomName::parse(name).ok()
    }

    /// What is wrong with it.
    ///
    /// # Errors
    /// The field and the rule.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let is_right = |email: &String| {
            email.contains('@') && email.len() <= 254 && !email.contains(char::is_whitespace)
        };
        if self.email.as_ref().is_some_and(|email| !is_right(email)) {
            return Err(("email", "an address such as alice@example.com".to_owned()));
        }
        let is_e164 = |mobile: &String| {
            let digits = mobile.strip_prefix('+').unwrap_or_default();
            (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        if self.mobile.as_ref().is_some_and(|mobile| !is_e164(mobile)) {
            return Err(("mobile", "a number such as +1234567890".to_owned()));
        }
        let is_code =
            |code: &String| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        if self.country.as_ref().is_some_and(|country| !is_code(country)) {
            return Err(("country", "two capital letters of ISO 3166-1".to_owned()));
        }
        for room in &self.fixed_rooms {
            RoomName::parse(room).map_err(|why| ("fixedRooms", why))?;
        }
        Ok(())
    }
}
