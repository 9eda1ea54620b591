//! Measures the charge of the operations with both profiles, and compares it with the budgets.

use std::process::ExitCode;

use chat::{
    Chat, ChatMember, ChatParts, ChatSettings, ChatUser, FeatureSettings, HistoryCursor,
    MessageAddress, MessageChange, RoomName, SendRequest, UserName,
};
use clap::Args;
use model::ChargeProfile;

use super::open::chat_error;
use crate::command::system::{BudgetRow, BudgetTable, measured_account};
use crate::error::CommandError;

const ACTION: &str = "measuring the operations";
const MESSAGES: usize = 60;
const PAGE: u32 = 20;

/// Measure the charge of the operations and compare it with the budgets
#[derive(Debug, Args)]
#[command(after_help = "\
The charges are those of our model (docs/request-charges.md), measured in memory with the profiles azure and native. A
budget is the upper bound of the requirements; twice of it is allowed.

Exit codes: 0 nothing costs more than twice its budget, 1 something does, 2 the command failed.")]
pub(super) struct ChatBudgetCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is measured.
struct MeasuredChat {
    chat: Chat,
    alice: ChatMember,
    bob: UserName,
    room: RoomName,
    rows: Vec<BudgetRow>,
}

impl ChatBudgetCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let azure = measure(ChargeProfile::Azure).await?;
        let native = measure(ChargeProfile::Native).await?;
        BudgetTable { azure, native }.print(self.json)
    }
}

async fn measure(profile: ChargeProfile) -> Result<Vec<BudgetRow>, CommandError> {
    let failed = |error| chat_error(ACTION, &error);
    let mut seed_only = open(profile, FeatureSettings::default()).await?;
    seed_only.measure_messages().await.map_err(failed)?;
    seed_only.measure_people().await.map_err(failed)?;
    let mut all = open(profile, FeatureSettings::all()).await?;
    all.measure_features().await.map_err(failed)?;
    seed_only.rows.append(&mut all.rows);
    Ok(seed_only.rows)
}

async fn open(
    profile: ChargeProfile,
    features: FeatureSettings,
) -> Result<MeasuredChat, CommandError> {
    let (account, clock) = measured_account(ACTION, profile).await?;
    let environment = account.environment().clone();
    let mut settings = ChatSettings { features, ..ChatSettings::default() };
    settings.testing.in_memory = true;
    settings.rate_limiting.messages.permit_limit = 1_000;
    let failed = |error| chat_error(ACTION, &error);
    let chat = Chat::open(account, settings, environment, ChatParts::default()).await;
    let chat = chat.map_err(failed)?;
    chat.seed().await.map_err(failed)?;
    let alice = chat.member("alice@example.com").await.map_err(failed)?;
    let wrong = |why: String| CommandError::new(ACTION, why);
    let bob = UserName::parse("bob@example.com").map_err(wrong)?;
    let room = RoomName::parse("general").map_err(wrong)?;
    let measured = MeasuredChat { chat, alice, bob, room, rows: Vec::new() };
    for number in 0..MESSAGES {
        measured.send(&format!("message number {number}"), None).await.map_err(failed)?;
        clock.travel(std::time::Duration::from_secs(1));
    }
    Ok(measured)
}

impl MeasuredChat {
    fn row(&mut self, id: &'static str, operation: &'static str, budget: Option<f64>, charge: f64) {
        self.rows.push(BudgetRow { id, operation, budget, charge, terms: String::new() });
    }

    async fn send(&self, content: &str, reply_to: Option<String>) -> chat::Result<(String, f64)> {
        let (room, content) = (self.room.clone(), content.to_owned());
        let request = SendRequest { room, content, correlation_id: None, reply_to };
        let sent = self.chat.send(&self.alice, request).await?;
        Ok((sent.value.view.id, sent.charge))
    }

    async fn measure_messages(&mut self) -> chat::Result<()> {
        let (id, charge) = self.send("Hello world", None).await?;
        self.row("CH-040", "messages.create", Some(7.0), charge);
        let messages = self.chat.messages().clone();
        let recent = messages.recent_by_room(&self.room, PAGE).await?;
        self.row("CH-041", "messages.recent_by_room, 20", Some(6.0), recent.charge);
        let Some(oldest) = recent.value.first() else { return Ok(()) };
        let before = HistoryCursor::before_message(oldest.timestamp, &oldest.id);
        let older = messages.before_by_room(&self.room, &before, PAGE).await?;
        self.row("CH-042", "messages.before_by_room, 20", Some(6.0), older.charge);
        let (room, bob) = (self.room.clone(), self.bob.clone());
        let change = MessageChange { room: &room, id: &id, by: &bob, life_seconds: None };
        let charge = messages.mark_read(change).await?.charge;
        self.row("CH-043", "messages.mark_read, first reader", Some(12.0), charge);
        let charge = messages.get(&room, &id).await?.charge;
        self.row("CH-045", "messages.get_by_id, room known", Some(1.0), charge);
        let charge = messages.find(&id).await?.charge;
        self.row("CH-045", "messages.get_by_id, fan-out", None, charge);
        let charge = messages.delete(&room, &id, self.alice.name()).await?.charge;
        self.row("CH-044", "messages.delete", Some(6.0), charge);
        Ok(())
    }

    async fn measure_people(&mut self) -> chat::Result<()> {
        let (users, rooms) = (self.chat.users().clone(), self.chat.rooms().clone());
        let (bob, room) = (self.bob.clone(), self.room.clone());
        let found = users.get_by_user_name(&bob).await?;
        self.row("CH-046", "users.get_by_user_name", Some(3.0), found.charge);
        let charge = users.get_by_upn("bob@contoso.com").await?.charge;
        self.row("CH-047", "users.get_by_upn, fan-out", None, charge);
        let changed =
            ChatUser { region: Some("Bavaria".to_owned()), ..found.value.unwrap_or_default() };
        let charge = users.upsert(&changed).await?.charge;
        self.row("CH-048", "users.upsert, existing", Some(13.0), charge);
        let charge = users.get_all().await?.charge;
        self.row("CH-048", "users.get_all", None, charge);
        let charge = rooms.get_by_name(&room).await?.charge;
        self.row("CH-049", "rooms.get_by_name", Some(1.0), charge);
        let charge = rooms.get_all().await?.charge;
        self.row("CH-050", "rooms.get_all", Some(3.0), charge);
        let charge = rooms.remove_user(&room, &bob).await?.charge;
        self.row("CH-051", "rooms.remove_user", Some(11.0), charge);
        let charge = rooms.add_user(&room, &bob).await?.charge;
        self.row("CH-051", "rooms.add_user", Some(11.0), charge);
        Ok(())
    }

    async fn measure_features(&mut self) -> chat::Result<()> {
        let (id, charge) = self.send("Hello world", None).await?;
        self.row("UnreadCounts", "send with unread counts", None, charge);
        let (_, charge) = self.send("Hello", Some(id.clone())).await?;
        self.row("ReplyTo", "send a reply, with unread counts", None, charge);
        let (room, alice) = (self.room.clone(), self.alice.clone());
        let bob = self.chat.member(self.bob.as_str()).await?;
        let charge = self.chat.unread(&bob, Some(&room)).await?.charge;
        self.row("UnreadCounts", "unread count of one room", None, charge);
        let charge = self.chat.mark_room_seen(&bob, &room).await?.charge;
        self.row("UnreadCounts", "mark a room as seen", None, charge);
        let messages = self.chat.messages().clone();
        let by = alice.name().clone();
        let change = MessageChange { room: &room, id: &id, by: &by, life_seconds: None };
        let content = chat::MessageContent::parse("Hello, world", 1_000);
        if let Ok(content) = content {
            let charge = messages.edit(change, &content).await?.charge;
            self.row("EditMessages", "edit a message", None, charge);
        }
        let charge = messages.bury(change).await?.charge;
        self.row("EditMessages", "delete with a tombstone", None, charge);
        let charge = self.chat.search(&alice, "number 7", Some(&room), None, PAGE).await?.charge;
        self.row("Search", "search in a room of 60 messages", None, charge);
        let address = MessageAddress { id, room: Some(room) };
        self.chat.message(&alice, &address).await?;
        self.row("Typing", "typing event", None, 0.0);
        Ok(())
    }
}
