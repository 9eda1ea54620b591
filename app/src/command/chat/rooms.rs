//! Rooms: list, add, retention, export, repair of the lists of members.

use std::process::ExitCode;

use chat::RoomName;
use clap::{Args, Subcommand};

use super::open::{ChatFlags, OpenChat, chat_error};
use crate::error::CommandError;
use crate::output::line;

/// List and change rooms
#[derive(Debug, Args)]
pub(super) struct RoomsCommand {
    #[command(subcommand)]
    subcommand: RoomsSubcommand,
}

#[derive(Debug, Subcommand)]
enum RoomsSubcommand {
    /// Print each room with its members
    List(ChatFlags),
    /// Add a room
    Add {
        /// Name of the room
        #[arg(value_name = "ROOM")]
        name: String,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Set how long messages of a room live; without seconds, as long as the container says
    Retention {
        /// Name of the room
        #[arg(value_name = "ROOM")]
        name: String,

        /// Seconds
        #[arg(long)]
        seconds: Option<u32>,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Print the messages of a room as lines of JSON, oldest first
    Export {
        /// Name of the room
        #[arg(value_name = "ROOM", value_parser = RoomName::parse)]
        name: RoomName,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Make the lists of members those of the users' rooms
    Repair(ChatFlags),
}

impl RoomsCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            RoomsSubcommand::List(chat) => {
                let opened = chat.open().await?;
                let done = list(&opened).await;
                opened.close(done).await?;
            }
            RoomsSubcommand::Add { name, chat } => {
                let opened = chat.open().await?;
                let done = opened.chat.create_room(&name, None).await.map(|_| ());
                opened.close(done.map_err(|error| chat_error("adding a room", &error))).await?;
            }
            RoomsSubcommand::Retention { name, seconds, chat } => {
                let opened = chat.open().await?;
                let done = opened.chat.set_retention(&name, seconds).await.map(|_| ());
                let done = done.map_err(|error| chat_error("setting a retention", &error));
                opened.close(done).await?;
            }
            RoomsSubcommand::Export { name, chat } => {
                let opened = chat.open().await?;
                let done = export(&opened, &name).await;
                opened.close(done).await?;
            }
            RoomsSubcommand::Repair(chat) => {
                let opened = chat.open().await?;
                let done = opened.chat.rebuild_members().await;
                let done = done.map_err(|error| chat_error("repairing members", &error));
                let repair = opened.close(done).await?;
                line(format_args!("{} rooms changed", repair.rooms_changed))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(opened: &OpenChat) -> Result<(), CommandError> {
    let rooms = opened.chat.rooms().get_all().await;
    for room in rooms.map_err(|error| chat_error("listing rooms", &error))?.value {
        let retention = room.retention_seconds.map_or("-".to_owned(), |s| format!("{s} s"));
        line(format_args!("{}  {retention}  {}", room.name, room.users.join(", ")))?;
    }
    Ok(())
}

async fn export(opened: &OpenChat, name: &RoomName) -> Result<(), CommandError> {
    let failed = |error| chat_error("exporting a room", &error);
    let mut export = opened.chat.export_room(name).await.map_err(failed)?;
    while let Some(lines) = export.next().await.map_err(failed)? {
        line(lines.trim_end())?;
    }
    Ok(())
}
