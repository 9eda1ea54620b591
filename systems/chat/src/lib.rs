//! The room chat of seed 000: fixed rooms, one-time codes, presence, read receipts, durable history.
//!
//! Owns its stored types, its containers, its rules, and the keys in Redis. Does not own HTTP plumbing or sessions
//! (`service`), the SignalR protocol (`signalr`), nor any storage (`client`).
//!
//! ```text
//! hub, http ─► action ─► repository ─► messages, users, rooms
//!                │  └──► broadcast ─► hub ─► clients in the room, of every process
//!                └─────► ephemeral (memory or Redis): codes, presence, reminders
//! ```

mod action;
mod broadcast;
mod chat;
mod containers;
mod delivery;
mod directory;
mod domain;
mod ephemeral;
mod error;
mod http;
mod hub;
mod limiter;
mod localization;
mod mention;
mod monitor;
mod page;
pub mod playbook;
mod presence;
mod reminder;
mod repository;
mod seeder;
mod settings;
mod sign_in;
mod stage;

pub use action::{
    ChatMember, IncomingHook, MemberRepair, MessageAddress, RoomExport, RoomUnread, SearchCursor,
    SendRequest, SentMessage, UserChange,
};
pub use broadcast::{ClientEvent, EventBroadcast};
pub use chat::{Chat, ChatParts};
pub use containers::{ChatContainers, TtlReconcile};
pub use delivery::{
    AddressSender, DeliveryAddress, LogSender, OutgoingText, TextSender, WebhookSender,
};
pub use domain::{
    ChatMessage, ChatRoom, ChatUser, CursorTies, HistoryCursor, MessageContent, MessageIdRequest,
    MessageIds, MessageView, PresentUser, ProfileView, RandomMessageIds, RoomName, UnreadReminder,
    UserName, UtcTimestamp,
};
pub use ephemeral::{
    EphemeralError, EphemeralResult, EphemeralStore, MemoryEphemeral, RedisEphemeral,
};
pub use error::{Error, ErrorKind, Result};
pub use http::CHAT_ADMIN_ROLE;
pub use hub::ChatHub;
pub use mention::{MentionReceiver, UserMention};
pub use monitor::ChatTotals;
pub use page::PAGES;
pub use reminder::{ReminderQueue, ReminderRound};
pub use repository::{
    CreatedMessage, DeleteResult, MessageChange, MessageRepository, NewMessage, RoomCharges,
    RoomRepository, UserRepository,
};
pub use seeder::{DEFAULT_ROOMS, SeedReport, default_users};
pub use settings::{
    AuthLimitSettings, AutomaticSsoSettings, ChatGroup, ChatSettings, CorsSettings, CosmosSettings,
    DeliverySettings, EntraAuthorization, EntraFallback, EntraSettings, FeatureSettings,
    LimiterStore, MarkReadLimitSettings, MessageIdStrategy, MessageLimitSettings, OtpSettings,
    RateLimitSettings, RedisSettings, ReminderSettings, RetentionFrom, TestingSettings,
};
pub use sign_in::CodeHasher;
pub use stage::{ChatStage, DEFAULT_REGION};
