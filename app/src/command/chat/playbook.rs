//! The playbooks: changes of a running deployment. Each first says what it would do, and does it with `--apply`.

use std::path::PathBuf;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chat::RoomName;
use chat::playbook::{
    MessageIndexing, apply_ttl, change_indexing, hierarchical_copy, keep_messages, plan_ttl,
};
use clap::{Args, Subcommand, ValueEnum};
use ring::rand::{SecureRandom as _, SystemRandom};
use service::copy::{ContainerCopy, CopyError, OnExtraItem, StopCondition};

use super::open::{ChatFlags, OpenChat, chat_error};
use crate::command::copy::CheckpointFile;
use crate::error::CommandError;
use crate::output::{line, thousands};

/// Exit code if two containers differ.
const DIFFERENT: u8 = 1;

/// Change a running deployment step by step
#[derive(Debug, Args)]
pub(super) struct PlaybookCommand {
    #[command(subcommand)]
    subcommand: PlaybookSubcommand,
}

#[derive(Debug, Subcommand)]
enum PlaybookSubcommand {
    /// Let messages expire; says first how many would vanish at once
    IntroduceTtl {
        /// Seconds after the last write of a message: 604800 for much traffic, 86400 for a demonstration
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=2_147_483_647))]
        seconds: u32,

        /// Keep what is in this room now for ever; may be repeated
        #[arg(long = "keep", value_name = "ROOM", value_parser = RoomName::parse)]
        keep: Vec<RoomName>,

        /// Do it; otherwise only say what would happen
        #[arg(long)]
        apply: bool,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Change what is indexed of messages; the index is built anew, so do it in quiet hours
    Indexing {
        /// What is indexed
        #[arg(long, value_enum)]
        to: IndexingArg,

        /// Do it; otherwise only say what would change
        #[arg(long)]
        apply: bool,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Copy messages into a container with the partition key /tenantId,/roomName; run it again to catch up
    HierarchicalKey {
        /// The new container
        #[arg(long, default_value = "messages_v2")]
        target: String,

        /// The tenant of all messages so far
        #[arg(long, default_value = "default")]
        tenant: String,

        /// Where the position of the copy is kept
        #[arg(long, default_value = "chat-hierarchical-key.json")]
        checkpoint: PathBuf,

        /// Only compare both containers
        #[arg(long)]
        verify: bool,

        #[command(flatten)]
        chat: ChatFlags,
    },
    /// Print a new pepper and the settings of a rotation; codes that were sent stay valid
    RotatePepper,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum IndexingArg {
    /// All paths
    Full,
    /// All paths but readBy
    WithoutReaders,
    /// All paths, and a composite index on roomName and timestamp
    Chronological,
}

impl PlaybookCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            PlaybookSubcommand::IntroduceTtl { seconds, keep, apply, chat } => {
                let opened = chat.open().await?;
                let done = introduce_ttl(&opened, seconds, &keep, apply).await;
                opened.close(done).await
            }
            PlaybookSubcommand::Indexing { to, apply, chat } => {
                let opened = chat.open().await?;
                let done = index(&opened, to, apply).await;
                opened.close(done).await
            }
            PlaybookSubcommand::HierarchicalKey { target, tenant, checkpoint, verify, chat } => {
                let opened = chat.open().await?;
                let names = [target.as_str(), tenant.as_str()];
                let done = move_messages(&opened, names, checkpoint, verify).await;
                opened.close(done).await
            }
            PlaybookSubcommand::RotatePepper => rotate_pepper(),
        }
    }
}

async fn introduce_ttl(
    opened: &OpenChat,
    seconds: u32,
    keep: &[RoomName],
    apply: bool,
) -> Result<ExitCode, CommandError> {
    let failed = |error| chat_error("introducing a time to live", &error);
    let containers = opened.chat.containers();
    let plan = plan_ttl(containers, seconds).await.map_err(failed)?.value;
    line(format_args!("Time to live now: {:?}; planned: {seconds} s", plan.now))?;
    for room in &plan.rooms {
        let kept = if keep.contains(&room.room) { ", which --keep keeps" } else { "" };
        let count = thousands(room.messages);
        line(format_args!("Would vanish at once from '{}': {count} messages{kept}", room.room))?;
    }
    line(format_args!("Together: {}", thousands(plan.total())))?;
    if !apply {
        line("Nothing was changed. Run it with --apply to do it.")?;
        return Ok(ExitCode::SUCCESS);
    }
    for room in keep {
        let kept = keep_messages(containers, room, seconds).await.map_err(failed)?;
        line(format_args!("Kept in '{room}': {}", thousands(kept)))?;
    }
    apply_ttl(containers, seconds).await.map_err(failed)?;
    line(format_args!(
        "Done. Set Cosmos:MessagesTtlSeconds={seconds}, or the next start takes it back."
    ))?;
    Ok(ExitCode::SUCCESS)
}

async fn index(opened: &OpenChat, to: IndexingArg, apply: bool) -> Result<ExitCode, CommandError> {
    let indexing = match to {
        IndexingArg::Full => MessageIndexing::Full,
        IndexingArg::WithoutReaders => MessageIndexing::WithoutReaders,
        IndexingArg::Chronological => MessageIndexing::Chronological,
    };
    let changed = change_indexing(opened.chat.containers(), indexing, apply).await;
    let change = changed.map_err(|error| chat_error("changing the indexing policy", &error))?;
    line(format_args!("Before: {}", change.from.to_json()))?;
    line(format_args!("After: {}", change.to.to_json()))?;
    let said = match (change.from == change.to, apply) {
        (true, _) => "It is so already.",
        (false, true) => "Changed. The index is built anew in the background.",
        (false, false) => "Nothing was changed. Run it with --apply to do it.",
    };
    line(said)?;
    Ok(ExitCode::SUCCESS)
}

async fn move_messages(
    opened: &OpenChat,
    [target, tenant]: [&str; 2],
    checkpoint: PathBuf,
    verify: bool,
) -> Result<ExitCode, CommandError> {
    const ACTION: &str = "moving messages to a hierarchical partition key";
    let failed = |error: CopyError| CommandError::from_error(ACTION, &error);
    let plan = hierarchical_copy(opened.chat.containers(), target, tenant);
    let plan = plan.map_err(|error| chat_error(ACTION, &error))?;
    let copy = ContainerCopy::prepare(plan).await.map_err(failed)?;
    if !verify {
        let checkpoints = CheckpointFile::open(checkpoint, false)?;
        let done =
            copy.run(&checkpoints, StopCondition::CaughtUp, &|_| ()).await.map_err(failed)?;
        let copied = thousands(done.copied);
        line(format_args!("Copied: {copied} messages for {:.0} RU", done.request_units))?;
    }
    let verified = copy.verify(OnExtraItem::Report, &|_| ()).await.map_err(failed)?;
    line(format_args!(
        "Old container: {} messages; new: {}; missing {}, different {}, extra {}",
        thousands(verified.source_items),
        thousands(verified.target_items),
        verified.missing,
        verified.different,
        verified.extra,
    ))?;
    if !verified.is_equal() {
        line("They differ. Run it again; stop the chat for the last run.")?;
        return Ok(ExitCode::from(DIFFERENT));
    }
    line(format_args!(
        "They are equal. Switch with Cosmos:MessagesContainer={target} and Cosmos:MessagesTenant={tenant}, and \
         delete the old container when nothing reads it any more."
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn rotate_pepper() -> Result<ExitCode, CommandError> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| {
        CommandError::new("making a pepper", "the operating system gives no random numbers")
    })?;
    line("1. Set Otp:PreviousPepper to the value that Otp:Pepper has now.")?;
    line(format_args!("2. Set Otp:Pepper={}", STANDARD.encode(bytes)))?;
    line("3. Start all processes again: codes that were sent before stay valid.")?;
    line("4. After Redis:OtpTtlSeconds, remove Otp:PreviousPepper.")?;
    Ok(ExitCode::SUCCESS)
}
