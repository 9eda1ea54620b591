//! Measures the charge of the operations with both profiles, and compares it with the budgets of the seed.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use client::TravellingClock;
use model::ChargeProfile;
use worlds::{
    ChargeMeter, EntityChange, EntityDraft, EntityFilter, EntityId, RestoredParent, WorldAccess,
    WorldDraft, WorldUser, Worlds, WorldsSettings,
};

use super::open::worlds_error;
use crate::command::system::{BudgetRow, BudgetTable, measured_account};
use crate::error::CommandError;

const ACTION: &str = "measuring the operations";

/// Measure the charge of the operations and compare it with the budgets
#[derive(Debug, Args)]
#[command(after_help = "\
The charges are those of our model (docs/request-charges.md), measured in memory with the profiles azure and native, in
a world of 60 entities. A budget is the upper bound of the seed; twice of it is allowed.

Exit codes: 0 nothing costs more than twice its budget, 1 something does, 2 the command failed.")]
pub(super) struct WorldsBudgetCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is measured.
struct MeasuredWorld {
    system: Worlds,
    clock: Arc<TravellingClock>,
    owner: WorldUser,
    access: WorldAccess,
    top: EntityId,
    rows: Vec<BudgetRow>,
}

impl WorldsBudgetCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let azure = measure(ChargeProfile::Azure).await?;
        let native = measure(ChargeProfile::Native).await?;
        BudgetTable { azure, native }.print(self.json)
    }
}

async fn measure(profile: ChargeProfile) -> Result<Vec<BudgetRow>, CommandError> {
    let failed = |error| worlds_error(ACTION, &error);
    let (system, clock) = open(profile).await?;
    let owner = WorldUser::parse("ann").map_err(|why| CommandError::new(ACTION, why))?;
    let draft = WorldDraft { name: "Eldoria".to_owned(), ..WorldDraft::default() };
    let world = system.create_world(&owner, draft).await.map_err(failed)?.value.entity;
    let mut meter = ChargeMeter::default();
    let access = system.access(&owner, &world.world_id, &mut meter).await.map_err(failed)?;
    let top = create(&system, &access, None, "Continent", "Arcanis").await.map_err(failed)?.0;
    let mut measured = MeasuredWorld { system, clock, owner, access, top, rows: Vec::new() };
    measured.fill().await.map_err(failed)?;
    measured.measure_reads().await.map_err(failed)?;
    measured.measure_writes().await.map_err(failed)?;
    measured.measure_trash().await.map_err(failed)?;
    Ok(measured.rows)
}

/// The system on an engine of its own in memory, with a clock that is moved by hand.
pub(super) async fn open(
    profile: ChargeProfile,
) -> Result<(Worlds, Arc<TravellingClock>), CommandError> {
    let (account, clock) = measured_account(ACTION, profile).await?;
    let environment = account.environment().clone();
    let system = Worlds::open(account, WorldsSettings::default(), environment).await;
    Ok((system.map_err(|error| worlds_error(ACTION, &error))?, clock))
}

/// Creates an entity; returns its id and the charge.
pub(super) async fn create(
    system: &Worlds,
    access: &WorldAccess,
    parent: Option<&EntityId>,
    entity_type: &str,
    name: &str,
) -> worlds::Result<(EntityId, f64)> {
    let draft = EntityDraft {
        parent_id: parent.cloned(),
        entity_type: entity_type.to_owned(),
        name: name.to_owned(),
        description: Some("A few words about it.".to_owned()),
        tags: vec!["measured".to_owned()],
        ..EntityDraft::default()
    };
    let created = system.create_entity(access, draft).await?;
    Ok((created.value.entity.id, created.charge))
}

impl MeasuredWorld {
    fn row(&mut self, id: &'static str, operation: &'static str, budget: Option<f64>, charge: f64) {
        self.rows.push(BudgetRow { id, operation, budget, charge, terms: String::new() });
    }

    async fn work(&self) -> worlds::Result<()> {
        self.system.tree_worker("budget").await?.run_once().await?;
        self.system.run_operations("budget").await?;
        Ok(())
    }

    /// Ten children of the continent, and 48 other entities.
    async fn fill(&self) -> worlds::Result<()> {
        for number in 0..10 {
            let name = format!("Country {number}");
            let parent = Some(&self.top);
            let (country, _) = create(&self.system, &self.access, parent, "Country", &name).await?;
            for place in 0..4 {
                let name = format!("City {number}-{place}");
                create(&self.system, &self.access, Some(&country), "City", &name).await?;
            }
        }
        for number in 0..8 {
            let name = format!("Deity {number}");
            create(&self.system, &self.access, None, "Deity", &name).await?;
        }
        self.work().await
    }

    async fn measure_reads(&mut self) -> worlds::Result<()> {
        let (system, access, top) = (self.system.clone(), self.access.clone(), self.top.clone());
        let charge = system.entity(&access, &top).await?.charge;
        self.row("WB-050", "get entity", Some(1.0), charge);
        let charge = system.children(&access, &top, 50, None).await?.charge;
        self.row("WB-051", "children of a parent, 10", Some(5.0), charge);
        let charge = system.hierarchy(&access, false).await?.charge;
        // The seed says 1 RU; it is the size of the item that counts (WB-X2).
        self.row("WB-052", "hierarchy of 60 entities (WB-X2)", None, charge);
        let charge = system.entities(&access, &EntityFilter::default(), 50, None).await?.charge;
        self.row("WB-053", "all entities, page of 50", Some(15.0), charge);
        let by_type =
            EntityFilter { entity_type: Some("Deity".to_owned()), ..EntityFilter::default() };
        let charge = system.entities(&access, &by_type, 50, None).await?.charge;
        self.row("WB-054", "by type, 8", Some(8.0), charge);
        let charge = system.search(&access, "deity 1", None, 50, None).await?.charge;
        self.row("WB-055", "search by name and tags", Some(12.0), charge);
        let charge = system.count_children(&access, &top).await?.charge;
        self.row("WB-056", "count children", Some(3.0), charge);
        let charge = system.worlds_of(&self.owner, 50, None).await?.charge;
        self.row("WB-057", "worlds by owner", Some(50.0), charge);
        Ok(())
    }

    async fn measure_writes(&mut self) -> worlds::Result<()> {
        let (system, access, top) = (self.system.clone(), self.access.clone(), self.top.clone());
        let (id, charge) = create(&system, &access, Some(&top), "City", "Port Amber").await?;
        // The counter of WB-X21, a read and a write, is not in the figures of the seed.
        self.row("WB-058", "create, with counter (WB-X21)", Some(8.0), charge);
        let change =
            EntityChange { description: Some("New words.".to_owned()), ..EntityChange::default() };
        let charge = system.update_entity(&access, &id, &change, None).await?.charge;
        self.row("WB-059", "update", Some(12.0), charge);
        let (other, _) = create(&system, &access, None, "Continent", "Borea").await?;
        let charge = system.move_entity(&access, &id, &other, None).await?.charge;
        self.row("WB-061", "move, without descendants", Some(10.0), charge);
        let charge = system.delete_entity(&access, &id, None).await?.charge;
        self.row("WB-060", "soft delete, with counter (WB-X21)", Some(10.0), charge);
        Ok(())
    }

    async fn measure_trash(&mut self) -> worlds::Result<()> {
        let (system, access) = (self.system.clone(), self.access.clone());
        self.work().await?;
        let found = system.trash(&access, 50, None).await?;
        self.row("WB-068", "trash, one recently deleted", Some(5.0), found.charge);
        let Some(id) = found.value.entities.first().map(|one| one.entity.id.clone()) else {
            return Ok(());
        };
        self.clock.travel(std::time::Duration::from_secs(31 * 24 * 3600));
        system.sweep_trash().await?;
        let charge = system.trash(&access, 50, None).await?.charge;
        self.row("WB-067", "trash, one after the grace period", Some(10.0), charge);
        let restored = system.restore_entity(&access, &id, RestoredParent::Refuse).await?;
        self.row("WB-069", "restore, with counter (WB-X21)", Some(20.0), restored.charge);
        system.delete_entity(&access, &id, None).await?;
        let charge = system.purge_entity(&access, &id).await?.charge;
        // The seed says 1 RU; a delete costs as much as a write (WB-X20).
        self.row("WB-070", "purge (WB-X20)", Some(6.0), charge);
        Ok(())
    }
}
