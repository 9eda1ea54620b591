//! The operator settings of the chat, under the names of seed 000, with their defaults.
//!
//! Owns the names and their validation. Does not own where values come from (`service`).

mod chat_group;
mod cosmos;
mod entra;
mod limits;
mod one_time_code;
mod redis_group;
mod whole;

pub use chat_group::{ChatGroup, FeatureSettings, MessageIdStrategy, RetentionFrom};
pub use cosmos::{CosmosSettings, TestingSettings};
pub use entra::{AutomaticSsoSettings, EntraAuthorization, EntraFallback, EntraSettings};
pub use limits::{
    AuthLimitSettings, LimiterStore, MarkReadLimitSettings, MessageLimitSettings, RateLimitSettings,
};
pub use one_time_code::OtpSettings;
pub(crate) use one_time_code::pepper_bytes;
pub use redis_group::RedisSettings;
pub use whole::{ChatSettings, CorsSettings, DeliverySettings, ReminderSettings};
