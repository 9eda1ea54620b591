//! Compares the tree with reading all entities, as the seed does (WB-047).

use std::process::ExitCode;

use clap::Args;
use model::ChargeProfile;
use serde_json::json;
use worlds::{ChargeMeter, EntityChange, EntityFilter, WorldDraft, WorldUser};

use super::budget::{create, open};
use super::open::worlds_error;
use crate::error::CommandError;
use crate::output::line;

const ACTION: &str = "comparing the tree with a scan";
/// A session of the seed: loads of the tree, and changes.
const LOADS: f64 = 10.0;
const UPDATES: u32 = 5;

/// Compare the charge of the tree with that of reading all entities
#[derive(Debug, Args)]
#[command(after_help = "\
A session is 10 loads of the whole hierarchy and 5 renames. With the tree, a rename also costs writing the tree. The
charges are those of our model with the profile azure.")]
pub(super) struct SavingsCommand {
    /// Entities of the world; may be repeated
    #[arg(long, value_name = "NUMBER", default_values_t = [100, 1_000, 5_000])]
    entities: Vec<usize>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was measured for one world.
struct SavingsRow {
    entities: usize,
    scan: f64,
    tree: f64,
    update: f64,
    tree_write: f64,
}

impl SavingsCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        if !self.json {
            line(format_args!(
                "{:>9}{:>12}{:>12}{:>14}{:>16}{:>16}{:>9}",
                "entities", "scan", "tree", "tree write", "session scan", "session tree", "saved"
            ))?;
        }
        for entities in &self.entities {
            let row = measure(*entities).await?;
            let (scanned, treed) = row.sessions();
            let saved = 100.0 * (1.0 - treed / scanned);
            let SavingsRow { entities, scan, tree, tree_write, .. } = row;
            if self.json {
                line(json!({ "entities": entities, "scan": scan, "tree": tree,
                    "treeWrite": tree_write, "sessionScan": scanned, "sessionTree": treed }))?;
                continue;
            }
            line(format_args!(
                "{entities:>9}{scan:>12.2}{tree:>12.2}{tree_write:>14.2}{scanned:>16.2}{treed:>16.2}{saved:>8.0}%"
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl SavingsRow {
    /// The charges of a session without the tree and with it.
    fn sessions(&self) -> (f64, f64) {
        let updates = f64::from(UPDATES) * self.update;
        let scanned = LOADS * self.scan + updates;
        (scanned, LOADS * self.tree + updates + f64::from(UPDATES) * self.tree_write)
    }
}

async fn measure(entities: usize) -> Result<SavingsRow, CommandError> {
    let (system, _) = open(ChargeProfile::Azure).await?;
    let done = async {
        let owner = WorldUser::anonymous();
        let draft = WorldDraft { name: "Measured".to_owned(), ..WorldDraft::default() };
        let world = system.create_world(&owner, draft).await?.value.entity;
        let mut meter = ChargeMeter::default();
        let access = system.access(&owner, &world.world_id, &mut meter).await?;
        let (mut tops, mut last) = (Vec::new(), access.world().root());
        for number in 0..entities {
            // Twenty continents, and the rest evenly below them.
            let is_top = number < 20;
            let parent = if is_top { None } else { tops.get(number % 20) };
            let kind = if is_top { "Continent" } else { "City" };
            let name = format!("Place number {number}");
            let (id, _) = create(&system, &access, parent, kind, &name).await?;
            last = id.clone();
            tops.extend(is_top.then_some(id));
        }
        let worker = system.tree_worker("savings").await?;
        worker.run_once().await?;
        let tree = system.hierarchy(&access, false).await?.charge;
        let (mut scan, mut continuation) = (0.0, None);
        loop {
            let page =
                system.entities(&access, &EntityFilter::default(), 200, continuation).await?;
            scan += page.charge;
            continuation = page.value.continuation;
            if continuation.is_none() {
                break;
            }
        }
        let change = EntityChange { name: Some("Renamed".to_owned()), ..EntityChange::default() };
        let update = system.update_entity(&access, &last, &change, None).await?.charge;
        let tree_write = system.refresh_tree(&access, &last).await?.charge;
        worlds::Result::Ok(SavingsRow { entities, scan, tree, update, tree_write })
    };
    done.await.map_err(|error| worlds_error(ACTION, &error))
}
