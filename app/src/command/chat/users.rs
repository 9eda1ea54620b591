//! Users: seed, list, add, set rooms, enable and disable.

use std::process::ExitCode;

use chat::{ChatUser, UserChange};
use clap::{Args, Subcommand};

use super::open::{ChatFlags, OpenChat, chat_error};
use crate::error::CommandError;
use crate::output::line;

/// Add the default rooms and users to an empty database
#[derive(Debug, Args)]
pub(super) struct SeedCommand {
    #[command(flatten)]
    chat: ChatFlags,
}

/// List and change users
#[derive(Debug, Args)]
pub(super) struct UsersCommand {
    #[command(subcommand)]
    subcommand: UsersSubcommand,
}

#[derive(Debug, Subcommand)]
enum UsersSubcommand {
    /// Print each user with its rooms, and whether its name at the issuer is known
    List {
        /// Only users without a name at the issuer, who cannot sign in by it
        #[arg(long)]
        without_upn: bool,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Add a user
    Add {
        /// User name
        #[arg(value_name = "USER")]
        name: String,

        /// Mail address, where codes go
        #[arg(long)]
        email: Option<String>,

        /// Mobile number such as +1234567890
        #[arg(long)]
        mobile: Option<String>,

        /// Name at the issuer
        #[arg(long)]
        upn: Option<String>,

        /// Whole name
        #[arg(long)]
        full_name: Option<String>,

        /// Room that the user may enter; may be repeated
        #[arg(long = "room", value_name = "ROOM")]
        rooms: Vec<String>,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Set the rooms of a user
    Rooms {
        /// User name
        #[arg(value_name = "USER")]
        name: String,

        /// Room that the user may enter; may be repeated
        #[arg(long = "room", value_name = "ROOM")]
        rooms: Vec<String>,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Let a user sign in
    Enable {
        /// User name
        #[arg(value_name = "USER")]
        name: String,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Keep a user out
    Disable {
        /// User name
        #[arg(value_name = "USER")]
        name: String,

        #[command(flatten)]
        chat: ChatFlags,
    },
}

impl SeedCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.chat.create().await?;
        let done = async {
            let report = opened.chat.seed().await;
            let report = report.map_err(|error| chat_error("seeding", &error))?;
            line(format_args!("{} rooms and {} users added", report.rooms, report.users))
        };
        let done = done.await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }
}

impl UsersCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            UsersSubcommand::List { without_upn, chat } => {
                let opened = chat.open().await?;
                let done = list(&opened, without_upn).await;
                opened.close(done).await?;
            }
            UsersSubcommand::Add { name, email, mobile, upn, full_name, rooms, chat } => {
                let opened = chat.open().await?;
                let user = ChatUser {
                    email,
                    mobile,
                    upn,
                    full_name,
                    user_name: name,
                    enabled: Some(true),
                    default_room: rooms.first().cloned(),
                    fixed_rooms: rooms,
                    ..ChatUser::default()
                };
                let done = opened.chat.create_user(&user).await.map(|_| ());
                opened.close(done.map_err(|error| chat_error("adding a user", &error))).await?;
            }
            UsersSubcommand::Rooms { name, rooms, chat } => {
                let opened = chat.open().await?;
                let done = opened.chat.set_user_rooms(&name, &rooms).await.map(|_| ());
                opened.close(done.map_err(|error| chat_error("setting rooms", &error))).await?;
            }
            UsersSubcommand::Enable { name, chat } => set_enabled(&chat, &name, true).await?,
            UsersSubcommand::Disable { name, chat } => set_enabled(&chat, &name, false).await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn set_enabled(flags: &ChatFlags, name: &str, enabled: bool) -> Result<(), CommandError> {
    let opened = flags.open().await?;
    let change = UserChange { enabled: Some(enabled), ..UserChange::default() };
    let done = opened.chat.change_user(name, change).await.map(|_| ());
    opened.close(done.map_err(|error| chat_error("changing a user", &error))).await
}

async fn list(opened: &OpenChat, without_upn: bool) -> Result<(), CommandError> {
    let users = opened.chat.users().get_all().await;
    let users = users.map_err(|error| chat_error("listing users", &error))?.value;
    for user in users.iter().filter(|user| !without_upn || user.upn.is_none()) {
        let state = if user.is_enabled() { "enabled" } else { "disabled" };
        let upn = user.upn.as_deref().unwrap_or("-");
        line(format_args!("{}  {state}  {upn}  {}", user.user_name, user.fixed_rooms.join(", ")))?;
    }
    Ok(())
}
