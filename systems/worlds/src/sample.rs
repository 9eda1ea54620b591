//! A world to try: `data/demo_world.txt`, one line per entity, nested by indentation.

use service::charge::ChargeMeter;

use crate::action::WorldDraft;
use crate::domain::{EntityDraft, EntityId, WorldUser};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::Worlds;

const TEXT: &str = include_str!("../data/demo_world.txt");
/// The name of the world to try.
pub const DEMO_WORLD_NAME: &str = "Eldoria";
const INDENT: usize = 2;

/// Creates the world to try, unless the user has a world of that name. Returns how many entities were created.
///
/// # Errors
/// Those of the account.
pub async fn create_demo_world(system: &Worlds, user: &WorldUser) -> Result<usize> {
    let own = system.worlds_of(user, 200, None).await?.value.worlds;
    if own.iter().any(|world| world.name == DEMO_WORLD_NAME) {
        return Ok(0);
    }
    let draft = WorldDraft {
        name: DEMO_WORLD_NAME.to_owned(),
        description: Some("A world of drowned empires and stubborn rivers.".to_owned()),
        tags: vec!["demo".to_owned()],
    };
    let world = system.create_world(user, draft).await?.value.entity;
    let access = system.access(user, &world.world_id, &mut ChargeMeter::default()).await?;
    // The parents of the current line, by depth.
    let mut parents: Vec<EntityId> = vec![access.world().root()];
    let mut count = 0;
    for line in TEXT.lines().filter(|line| !line.trim().is_empty()) {
        let depth = line.chars().take_while(|c| *c == ' ').count() / INDENT;
        parents.truncate(depth + 1);
        let draft = parse_line(line.trim(), parents.last())?;
        let created = system.create_entity(&access, draft).await?;
        parents.push(created.value.entity.id);
        count += 1;
    }
    Ok(count)
}

/// `Type | Name | tags | description`.
fn parse_line(line: &str, parent: Option<&EntityId>) -> Result<EntityDraft> {
    let mut parts = line.splitn(4, '|').map(str::trim);
    let (Some(entity_type), Some(name)) = (parts.next(), parts.next()) else {
        return Err(Error::new(ErrorKind::Internal, format!("'{line}' is no line of a world")));
    };
    let tags = parts.next().unwrap_or_default().split(',').map(str::trim);
    Ok(EntityDraft {
        parent_id: parent.cloned(),
        entity_type: entity_type.to_owned(),
        name: name.to_owned(),
        tags: tags.filter(|tag| !tag.is_empty()).map(str::to_owned).collect(),
        description: parts.next().filter(|text| !text.is_empty()).map(str::to_owned),
        ..EntityDraft::default()
    })
}
