//! A user's notification preferences: categories, quiet hours, time zone and language.
//!
//! Owns the stored form of `notification_preferences`. Does not own changing them (`action/preferences`).

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::quiet_hours::{QuietHours, find_time_zone};
use super::{Category, UserId, UtcTimestamp};

/// The preferences of one user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    /// Equal to the user id.
    pub id: String,
    /// The user.
    #[schema(value_type = String)]
    pub user_id: UserId,
    /// IANA name of the time zone that quiet hours are in.
    pub timezone: String,
    /// One value for each local hour; `true` is quiet. Not stored until the user changes them: that would be 24 indexed
    /// values.
    #[serde(default)]
    #[schema(value_type = Vec<bool>, min_items = 24, max_items = 24)]
    pub quiet_hours: QuietHours,
    /// The categories that can be switched off.
    pub categories: Toggles,
    /// The language of texts; the default of the settings when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// First write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub created_at: Option<UtcTimestamp>,
    /// Last write.
    #[schema(value_type = String)]
    pub updated_at: UtcTimestamp,
}

/// The categories that can be switched off. Safety and security cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Toggles {
    /// What other people do.
    pub social: bool,
    /// News about the system.
    pub news: bool,
    /// Offers.
    pub marketing: bool,
}

impl Preferences {
    /// Whether the user wants notifications of this category.
    #[must_use]
    pub fn is_category_enabled(&self, category: Category) -> bool {
        match category {
            Category::Safety | Category::Security => true,
            Category::Social => self.categories.social,
            Category::News => self.categories.news,
            Category::Marketing => self.categories.marketing,
        }
    }

    /// The end of the quiet hours that `now` is in; `None` if it is in none.
    ///
    /// The time zone was validated when it was written. If the table no longer has it, UTC is used.
    #[must_use]
    pub fn quiet_hours_end(&self, now: UtcTimestamp) -> Option<UtcTimestamp> {
        let time_zone = find_time_zone(&self.timezone).unwrap_or(TimeZone::UTC);
        self.quiet_hours.end(now, &time_zone)
    }
}
