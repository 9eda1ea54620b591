//! Changing one's preferences.
//!
//! Owns the check of a change, with a problem for each part that is wrong, and the merge into what is stored or into
//! the defaults.

use client::ErrorKind;
use serde_json::Value;

use crate::charge::{ChargeMeter, ChargedValue};
use crate::domain::{Preferences, QuietHours, UserId, find_time_zone};
use crate::error::{Error, FieldError, Result};
use crate::notifications::Notifications;

/// What is to change; the rest stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreferencesChange {
    /// IANA name.
    pub timezone: Option<String>,
    /// 24 values, true is quiet.
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

impl PreferencesChange {
    /// Reads a change as clients send it.
    ///
    /// # Errors
    /// `Invalid`, naming every part that is wrong: an unknown zone, another number of hours, an unknown name.
    pub fn parse(body: &Value) -> Result<Self> {
        let mut change = Self::default();
        let mut problems = Vec::new();
        let Some(body) = body.as_object() else {
            return Err(Error::invalid(
                "the preferences are no object; send {\"timezone\": \"Europe/Berlin\"}",
            ));
        };
        for (name, value) in body {
            let outcome = match name.as_str() {
                "timezone" => time_zone(value).map(|zone| change.timezone = Some(zone)),
                "quietHours" => quiet_hours(value).map(|hours| change.quiet_hours = Some(hours)),
                "locale" => text(value).map(|locale| change.locale = Some(locale)),
                "categories" => {
                    change.take_categories(value, &mut problems);
                    Ok(())
                }
                // What an answer holds may come back with a change.
                "id" | "userId" | "updatedAt" | "createdAt" => Ok(()),
                _ => Err("is no preference; known are timezone, quietHours, categories, locale"
                    .to_owned()),
            };
            if let Err(message) = outcome {
                problems.push(FieldError::new(name, message));
            }
        }
        if problems.is_empty() {
            Ok(change)
        } else {
            Err(Error::invalid_fields("the preferences", problems))
        }
    }

    fn take_categories(&mut self, value: &Value, problems: &mut Vec<FieldError>) {
        let Some(categories) = value.as_object() else {
            problems.push(FieldError::new("categories", "is no object like {\"social\": true}"));
            return;
        };
        for (name, value) in categories {
            let toggle = match name.as_str() {
                "social" => &mut self.social,
                "news" => &mut self.news,
                "marketing" => &mut self.marketing,
                "safety" | "security" => {
                    problems
                        .push(FieldError::new(format!("categories.{name}"), "cannot be switched"));
                    continue;
                }
                _ => {
                    let message = "is no category; known are social, news, marketing";
                    problems.push(FieldError::new(format!("categories.{name}"), message));
                    continue;
                }
            };
            match value.as_bool() {
                Some(on) => *toggle = Some(on),
                None => {
                    let message = format!("is {value}, neither true nor false");
                    problems.push(FieldError::new(format!("categories.{name}"), message));
                }
            }
        }
    }

    /// What is stored of a user's first preferences: quiet hours only if they chose them.
    fn first_stored(&self, preferences: &Preferences) -> Result<Value> {
        let mut value = serde_json::to_value(preferences)
            .map_err(|error| Error::internal(format!("preferences are no JSON: {error}")))?;
        if let (Value::Object(properties), None) = (&mut value, self.quiet_hours) {
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

fn text(value: &Value) -> std::result::Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("is {value}, no text"))
}

fn time_zone(value: &Value) -> std::result::Result<String, String> {
    let name = text(value)?;
    match find_time_zone(&name) {
        Some(_) => Ok(name),
        None => Err(format!("'{name}' is no IANA time zone; write one like Europe/Berlin")),
    }
}

fn quiet_hours(value: &Value) -> std::result::Result<QuietHours, String> {
    let wrong = "needs 24 values true or false, one for each hour, true is quiet";
    let hours = value.as_array().ok_or_else(|| wrong.to_owned())?;
    let values: Option<Vec<bool>> = hours.iter().map(Value::as_bool).collect();
    let values = values.ok_or_else(|| wrong.to_owned())?;
    let count = values.len();
    let hours =
        <[bool; 24]>::try_from(values).map_err(|_| format!("has {count} values; {wrong}"))?;
    Ok(QuietHours(hours))
}

impl Notifications {
    /// Changes what a user wants. What they never chose is as in the settings.
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
            let problem = FieldError::new("locale", format!("there are no texts in '{locale}'"));
            return Err(Error::invalid_fields("the preferences", vec![problem]));
        }
        let container = &core.containers.preferences;
        let key = user.partition_key();
        let mut meter = ChargeMeter::default();
        loop {
            let now = core.now();
            let modified = container
                .modify(&key, user.as_str(), |preferences: &mut Preferences| {
                    let before = preferences.clone();
                    change.apply(preferences);
                    if *preferences != before {
                        preferences.updated_at = now;
                    }
                    Ok::<(), client::Error>(())
                })
                .await;
            match modified {
                Ok(answer) => {
                    let value = meter.record(answer).into_value();
                    return Ok(meter.finish(value));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
            let mut first = core.default_preferences(user);
            change.apply(&mut first);
            match container.create(&key, &change.first_stored(&first)?).await {
                Ok(answer) => {
                    meter.record(answer);
                    return Ok(meter.finish(first));
                }
                // Somebody else created them meanwhile; the change goes into theirs.
                Err(error) if error.kind() == ErrorKind::Conflict => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
