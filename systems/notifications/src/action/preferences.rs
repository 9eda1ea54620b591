//! Changing a user's preferences.
//!
//! Owns the validation of a change, which names every wrong field, and merging it into the stored preferences or into
//! the defaults.

use client::ErrorKind;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::body_field::{BodyField, collect};
use crate::domain::{Preferences, QuietHours, UserId, find_time_zone};
use crate::error::{Error, InvalidField, Result};
use crate::notifications::Notifications;
use service::charge::{ChargeMeter, ChargedValue};

/// The preferences to change; the others stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreferencesChange {
    /// IANA name of the time zone.
    pub timezone: Option<String>,
    /// 24 values; `true` is quiet.
    pub quiet_hours: Option<QuietHours>,
    /// Toggle.
    pub social: Option<bool>,
    /// Toggle.
    pub news: Option<bool>,
    /// Toggle.
    pub marketing: Option<bool>,
    /// Language of texts.
    pub locale: Option<String>,
}

/// A change of preferences as clients send it.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreferencesBody {
    /// IANA name of the time zone.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    timezone: BodyField<String>,
    /// 24 values, one for each local hour; true is quiet.
    #[serde(default)]
    #[schema(value_type = Option<Vec<bool>>, min_items = 24, max_items = 24)]
    quiet_hours: BodyField<Vec<bool>>,
    /// The categories to switch on or off.
    #[serde(default)]
    #[schema(value_type = Option<CategoriesBody>)]
    categories: BodyField<CategoriesBody>,
    /// Language of texts.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    locale: BodyField<String>,
    /// Properties that are no preferences.
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Map<String, Value>,
}

/// The categories to switch on or off; the others stay.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct CategoriesBody {
    /// What other people do.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    social: BodyField<bool>,
    /// News about the system.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    news: BodyField<bool>,
    /// Offers.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    marketing: BodyField<bool>,
    /// Properties that are no such categories.
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Map<String, Value>,
}

impl PreferencesChange {
    /// Parses a change as clients send it.
    ///
    /// # Errors
    /// `Invalid`, naming every wrong field: an unknown time zone, another number of hours, an unknown property.
    pub fn parse(body: Value) -> Result<Self> {
        let body = PreferencesBody::deserialize(body).map_err(|_| {
            Error::invalid(
                "the preferences are not an object; send {\"timezone\": \"Europe/Berlin\"}",
            )
        })?;
        let mut errors = Vec::new();
        let mut change = Self::default();
        match body.categories {
            BodyField::Missing => {}
            BodyField::Valid(categories) => change.parse_categories(categories, &mut errors),
            BodyField::Null | BodyField::Invalid(_) => {
                let message = "is not an object like {\"social\": true}";
                errors.push(InvalidField::new("categories", message));
            }
        }
        change.locale = collect(&mut errors, "locale", parse_text(body.locale)).flatten();
        let hours = parse_quiet_hours(body.quiet_hours);
        change.quiet_hours = collect(&mut errors, "quietHours", hours).flatten();
        let time_zone = parse_text(body.timezone).and_then(validate_time_zone);
        change.timezone = collect(&mut errors, "timezone", time_zone).flatten();
        for name in body.unknown.keys() {
            // A client may send back the whole object that it was given.
            if !["id", "userId", "updatedAt", "createdAt"].contains(&name.as_str()) {
                let message =
                    "is not a preference; known are timezone, quietHours, categories, locale";
                errors.push(InvalidField::new(name, message));
            }
        }
        if errors.is_empty() {
            Ok(change)
        } else {
            Err(Error::with_invalid_fields("the preferences", errors))
        }
    }

    fn parse_categories(&mut self, categories: CategoriesBody, errors: &mut Vec<InvalidField>) {
        let toggles = [
            ("categories.marketing", categories.marketing, &mut self.marketing),
            ("categories.news", categories.news, &mut self.news),
            ("categories.social", categories.social, &mut self.social),
        ];
        for (field, sent, toggle) in toggles {
            *toggle = collect(errors, field, parse_toggle(sent)).flatten();
        }
        for name in categories.unknown.keys() {
            let message = match name.as_str() {
                "safety" | "security" => "cannot be switched off",
                _ => "is not a category; known are social, news, marketing",
            };
            errors.push(InvalidField::new(format!("categories.{name}"), message));
        }
    }

    /// The first preferences of a user as they are stored: without quiet hours, unless the change has them.
    fn first_stored(&self, preferences: &Preferences) -> Result<Value> {
        let mut value = serde_json::to_value(preferences)
            .map_err(|error| Error::internal(format!("preferences as JSON: {error}")))?;
        if let (Value::Object(properties), None) = (&mut value, self.quiet_hours) {
            // Left out, so that a later change of the default quiet hours applies to users who never chose any.
            properties.remove("quietHours");
        }
        Ok(value)
    }

    fn apply(&self, preferences: &mut Preferences) {
        let Self { timezone, quiet_hours, social, news, marketing, locale } = self;
        preferences.timezone = timezone.clone().unwrap_or_else(|| preferences.timezone.clone());
        preferences.quiet_hours = quiet_hours.unwrap_or(preferences.quiet_hours);
        let categories = &mut preferences.categories;
        categories.social = social.unwrap_or(categories.social);
        categories.news = news.unwrap_or(categories.news);
        categories.marketing = marketing.unwrap_or(categories.marketing);
        if locale.is_some() {
            preferences.locale.clone_from(locale);
        }
    }
}

fn parse_text(field: BodyField<String>) -> std::result::Result<Option<String>, String> {
    match field {
        BodyField::Missing => Ok(None),
        BodyField::Valid(text) => Ok(Some(text)),
        BodyField::Null => Err("is null, not a text".to_owned()),
        BodyField::Invalid(value) => Err(format!("is {value}, not a text")),
    }
}

fn parse_toggle(field: BodyField<bool>) -> std::result::Result<Option<bool>, String> {
    match field {
        BodyField::Missing => Ok(None),
        BodyField::Valid(on) => Ok(Some(on)),
        BodyField::Null => Err("is null, neither true nor false".to_owned()),
        BodyField::Invalid(value) => Err(format!("is {value}, neither true nor false")),
    }
}

fn validate_time_zone(name: Option<String>) -> std::result::Result<Option<String>, String> {
    match name {
        Some(name) if find_time_zone(&name).is_none() => {
            Err(format!("'{name}' is not an IANA time zone; write one like Europe/Berlin"))
        }
        name => Ok(name),
    }
}

fn parse_quiet_hours(
    field: BodyField<Vec<bool>>,
) -> std::result::Result<Option<QuietHours>, String> {
    let expected = "needs 24 values true or false, one for each hour, true is quiet";
    match field {
        BodyField::Missing => Ok(None),
        BodyField::Null | BodyField::Invalid(_) => Err(expected.to_owned()),
        BodyField::Valid(hours) => {
            let count = hours.len();
            let hours = <[bool; 24]>::try_from(hours);
            let hours = hours.map_err(|_| format!("has {count} values; {expected}"))?;
            Ok(Some(QuietHours(hours)))
        }
    }
}

impl Notifications {
    /// Changes a user's preferences. Those that the user never changed are the defaults of the settings.
    ///
    /// # Errors
    /// `Invalid` for a language without templates; those of the account.
    pub async fn change_preferences(
        &self,
        user: &UserId,
        change: &PreferencesChange,
    ) -> Result<ChargedValue<Preferences>> {
        let core = &self.core;
        if let Some(locale) =
            change.locale.as_deref().filter(|locale| !core.templates.has_locale(locale))
        {
            let error = InvalidField::new("locale", format!("there are no texts in '{locale}'"));
            return Err(Error::with_invalid_fields("the preferences", vec![error]));
        }
        let container = &core.containers.preferences;
        let key = user.partition_key();
        let mut meter = ChargeMeter::default();
        // Modify, or create if there are none. Either can lose a race against the other in another process, and the
        // loop then takes the other branch; nobody deletes preferences but an erasure.
        loop {
            let now = core.now();
            let modified = container
                .modify(&key, user.as_str(), |preferences: &mut Preferences| {
                    let before = preferences.clone();
                    change.apply(preferences);
                    // Nothing is written if nothing changes, so `updatedAt` must not make a difference.
                    if *preferences != before {
                        preferences.updated_at = now;
                    }
                    Ok::<(), client::Error>(())
                })
                .await;
            match modified {
                Ok(response) => {
                    let value = meter.record(response).into_value();
                    return Ok(meter.finish(value));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
            let mut first = core.default_preferences(user);
            change.apply(&mut first);
            match container.create(&key, &change.first_stored(&first)?).await {
                Ok(response) => {
                    meter.record(response);
                    return Ok(meter.finish(first));
                }
                // Somebody else created them meanwhile; the change is merged into theirs.
                Err(error) if error.kind() == ErrorKind::Conflict => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
