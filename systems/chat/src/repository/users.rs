//! Users: lookup, listing, upsert with a stable id and a unique mail address.

use client::{Container, ErrorKind as AccountErrorKind, Item, Query};
use ring::digest;
use service::charge::{ChargeMeter, ChargedValue};

use super::all_pages::all_pages;
use crate::containers::{ChatContainers, user_key};
use crate::domain::{ChatUser, EmailReservation, UserName};
use crate::error::{Error, Result};

/// The container `users`.
#[derive(Clone, Debug)]
pub struct UserRepository {
    users: Container,
}

impl UserRepository {
    pub(crate) fn new(containers: &ChatContainers) -> Self {
        Self { users: containers.users.clone() }
    }

    /// A user by its name: a query in one partition, because the id is a GUID.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn get_by_user_name(
        &self,
        name: &UserName,
    ) -> Result<ChargedValue<Option<ChatUser>>> {
        let found = self.item_of(name).await?;
        Ok(ChargedValue::new(found.value.map(|item| item.value), found.charge))
    }

    async fn item_of(&self, name: &UserName) -> Result<ChargedValue<Option<Item<ChatUser>>>> {
        let query = Query::text("SELECT * FROM c WHERE c.userName = @name");
        let query = query.parameter("@name", name.as_str()).within(user_key(name));
        let found = all_pages(&self.users, "users.get_by_user_name", query).await?;
        Ok(ChargedValue::new(found.value.into_iter().next(), found.charge))
    }

    /// A user by its name at the issuer, without case.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn get_by_upn(&self, upn: &str) -> Result<ChargedValue<Option<ChatUser>>> {
        let query = Query::text("SELECT * FROM c WHERE LOWER(c.upn) = @upn");
        let query = query.parameter("@upn", upn.to_lowercase());
        let query = query.fan_out("the issuer names a user by its upn, which is no partition key");
        let found = all_pages(&self.users, "users.get_by_upn", query).await?;
        Ok(ChargedValue::new(found.value.into_iter().next(), found.charge))
    }

    /// All users, without the reservations of mail addresses.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn get_all(&self) -> Result<ChargedValue<Vec<ChatUser>>> {
        let query = Query::text("SELECT * FROM c WHERE NOT IS_DEFINED(c.type)");
        let query = query.fan_out("all users are listed");
        let mut found: ChargedValue<Vec<ChatUser>> =
            all_pages(&self.users, "users.get_all", query).await?;
        found.value.sort_by(|one, other| one.user_name.cmp(&other.user_name));
        Ok(found)
    }

    /// Whether there is any user.
    pub(crate) async fn find_any(&self) -> Result<bool> {
        let query = Query::text("SELECT TOP 1 c.id FROM c WHERE NOT IS_DEFINED(c.type)");
        let query = query.fan_out("the seeder asks whether there is any user");
        let found = all_pages::<serde_json::Value>(&self.users, "users.find_any", query).await?;
        Ok(!found.value.is_empty())
    }

    /// Creates a user, or replaces what is known of it. The id is made once, and properties that this program does not
    /// know are kept.
    ///
    /// # Errors
    /// `Invalid` for a wrong field, `Conflict` if another user has the mail address; those of the account.
    pub async fn upsert(&self, user: &ChatUser) -> Result<ChargedValue<ChatUser>> {
        let name = UserName::parse(&user.user_name)
            .map_err(|why| Error::invalid_field("userName", why))?;
        user.check().map_err(|(field, why)| Error::invalid_field(field, why))?;
        let mut meter = ChargeMeter::default();
        let existing = self.item_of(&name).await?;
        meter.add(existing.charge);
        let existing = existing.value;
        let email_before = existing.as_ref().and_then(|item| item.value.email.clone());
        let reserved_before = email_before.as_deref().map(EmailReservation::id_of);
        let reserved = user.email.as_deref().map(EmailReservation::id_of);
        if let Some(email) = user.email.as_deref().filter(|_| reserved != reserved_before) {
            self.reserve(email, &name, &mut meter).await?;
        }
        let written = match existing {
            Some(item) => self.save(&name, item, user, &mut meter).await?,
            None => self.create(&name, user, &mut meter).await?,
        };
        if let Some(old) = reserved_before.filter(|old| reserved.as_ref() != Some(old)) {
            self.release(&old, &mut meter).await?;
        }
        Ok(meter.finish(written))
    }

    /// Writes over what the lookup has read, unless somebody else was faster.
    async fn save(
        &self,
        name: &UserName,
        mut item: Item<ChatUser>,
        user: &ChatUser,
        meter: &mut ChargeMeter,
    ) -> Result<ChatUser> {
        let id = item.value.id.clone();
        let user = ChatUser { id, ..user.clone() };
        if item.value == user {
            return Ok(user);
        }
        item.value.clone_from(&user);
        match self.users.save(&user_key(name), &item).await {
            Ok(saved) => Ok(meter.record(saved).value),
            Err(error) if error.kind() == AccountErrorKind::Precondition => {
                meter.record_error(&error);
                self.replace(name, &user, meter).await
            }
            // It was deleted after the lookup.
            Err(error) if error.kind() == AccountErrorKind::NotFound => {
                meter.record_error(&error);
                self.create(name, &user, meter).await
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn create(
        &self,
        name: &UserName,
        user: &ChatUser,
        meter: &mut ChargeMeter,
    ) -> Result<ChatUser> {
        let user = ChatUser { id: guid_of(name), ..user.clone() };
        match self.users.create(&user_key(name), &user).await {
            Ok(created) => Ok(meter.record(created).value),
            // Another first upsert of this name made the same id: one document is left, and the later one wins.
            Err(error) if error.kind() == AccountErrorKind::Conflict => {
                meter.record_error(&error);
                self.replace(name, &user, meter).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads and writes until nobody else writes in between.
    async fn replace(
        &self,
        name: &UserName,
        user: &ChatUser,
        meter: &mut ChargeMeter,
    ) -> Result<ChatUser> {
        let key = user_key(name);
        let replaced = self.users.modify(&key, &user.id, |stored: &mut ChatUser| {
            *stored = user.clone();
            Ok::<_, client::Error>(())
        });
        Ok(meter.record(replaced.await?).value)
    }

    /// Takes an address for a user, before the user is written.
    async fn reserve(&self, email: &str, owner: &UserName, meter: &mut ChargeMeter) -> Result<()> {
        let reservation = EmailReservation::new(email, owner.as_str());
        let key = reservation.id.as_str().into();
        match self.users.create(&key, &reservation).await {
            Ok(created) => {
                meter.record(created);
                return Ok(());
            }
            Err(error) if error.kind() == AccountErrorKind::Conflict => meter.record_error(&error),
            Err(error) => return Err(error.into()),
        }
        let mut found =
            meter.record(self.users.read::<EmailReservation>(&key, &reservation.id).await?);
        if found.value.owner == owner.as_str() {
            return Ok(());
        }
        // A reservation is written before its user. If that user does not have the address, its writer crashed in
        // between, or gave the address away.
        let has_it = match UserName::parse(&found.value.owner) {
            Ok(other) => {
                let other = self.get_by_user_name(&other).await?;
                meter.add(other.charge);
                let email_of_other = other.value.and_then(|user| user.email);
                email_of_other
                    .is_some_and(|other| EmailReservation::id_of(&other) == reservation.id)
            }
            Err(_) => false,
        };
        if has_it {
            return Err(Error::conflict(format!("another user has the mail address '{email}'")));
        }
        owner.as_str().clone_into(&mut found.value.owner);
        meter.record(self.users.save(&key, &found).await?);
        Ok(())
    }

    async fn release(&self, id: &str, meter: &mut ChargeMeter) -> Result<()> {
        match self.users.delete(&id.into(), id, None).await {
            Ok(deleted) => {
                meter.record(deleted);
                Ok(())
            }
            Err(error) if error.kind() == AccountErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The GUID of a new user. It is derived from the name, so that two first writes at the same moment meet in one item.
fn guid_of(name: &UserName) -> String {
    let text = format!("planisphere chat user {}", name.as_str());
    let digest = digest::digest(&digest::SHA256, text.as_bytes());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}
