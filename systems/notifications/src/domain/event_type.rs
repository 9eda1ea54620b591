//! The types of events, and the category of each.
//!
//! Owns the closed lists and their stored names. Does not own texts (`text/template`).

use serde::{Deserialize, Serialize};

/// What happened.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventType {
    /// Somebody liked a post.
    PostLike,
    /// Somebody commented on a post.
    PostComment,
    /// Somebody shared a post.
    PostShare,
    /// Somebody replied to a comment.
    CommentReply,
    /// Somebody started to follow the user.
    FollowerNew,
    /// Content of the user was flagged by moderation.
    SafetyContentFlagged,
    /// The account got a warning.
    SafetyAccountWarning,
    /// A device signed in for the first time.
    SecurityNewDevice,
    /// The password was changed.
    SecurityPasswordChanged,
    /// The account was locked.
    SecurityAccountLocked,
    /// News about the system.
    NewsSystemUpdate,
    /// An offer.
    MarketingPromotion,
}

/// What users switch on and off, and what rate limits count by.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Category {
    /// What other people do.
    Social,
    /// Rules and moderation; cannot be switched off.
    Safety,
    /// The account itself; cannot be switched off.
    Security,
    /// News about the system.
    News,
    /// Offers; off until the user switches them on.
    Marketing,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TargetType {
    /// A post.
    Post,
    /// A comment.
    Comment,
    /// A user.
    User,
}

impl EventType {
    /// All types, in the order of the seed.
    pub const ALL: [Self; 12] = [
        Self::PostLike,
        Self::PostComment,
        Self::PostShare,
        Self::CommentReply,
        Self::FollowerNew,
        Self::SafetyContentFlagged,
        Self::SafetyAccountWarning,
        Self::SecurityNewDevice,
        Self::SecurityPasswordChanged,
        Self::SecurityAccountLocked,
        Self::NewsSystemUpdate,
        Self::MarketingPromotion,
    ];

    /// The stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PostLike => "POST_LIKE",
            Self::PostComment => "POST_COMMENT",
            Self::PostShare => "POST_SHARE",
            Self::CommentReply => "COMMENT_REPLY",
            Self::FollowerNew => "FOLLOWER_NEW",
            Self::SafetyContentFlagged => "SAFETY_CONTENT_FLAGGED",
            Self::SafetyAccountWarning => "SAFETY_ACCOUNT_WARNING",
            Self::SecurityNewDevice => "SECURITY_NEW_DEVICE",
            Self::SecurityPasswordChanged => "SECURITY_PASSWORD_CHANGED",
            Self::SecurityAccountLocked => "SECURITY_ACCOUNT_LOCKED",
            Self::NewsSystemUpdate => "NEWS_SYSTEM_UPDATE",
            Self::MarketingPromotion => "MARKETING_PROMOTION",
        }
    }

    /// The type with this stored name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event_type| event_type.name() == name)
    }

    /// The category it belongs to.
    #[must_use]
    pub fn category(self) -> Category {
        match self {
            Self::PostLike
            | Self::PostComment
            | Self::PostShare
            | Self::CommentReply
            | Self::FollowerNew => Category::Social,
            Self::SafetyContentFlagged | Self::SafetyAccountWarning => Category::Safety,
            Self::SecurityNewDevice
            | Self::SecurityPasswordChanged
            | Self::SecurityAccountLocked => Category::Security,
            Self::NewsSystemUpdate => Category::News,
            Self::MarketingPromotion => Category::Marketing,
        }
    }
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 5] =
        [Self::Social, Self::Safety, Self::Security, Self::News, Self::Marketing];

    /// The stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Social => "SOCIAL",
            Self::Safety => "SAFETY",
            Self::Security => "SECURITY",
            Self::News => "NEWS",
            Self::Marketing => "MARKETING",
        }
    }

    /// The category with this stored name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }

    /// Whether it ignores preferences and quiet hours.
    #[must_use]
    pub fn is_critical(self) -> bool {
        matches!(self, Self::Safety | Self::Security)
    }
}
