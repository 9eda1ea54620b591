//! The demonstration: a world of the user ann, and a token to try the routes.

use service::identity::Identity;
use worlds::{DEMO_WORLD_NAME, WorldUser, Worlds, create_demo_world};

use super::open::worlds_error;
use crate::error::CommandError;

/// Who owns the world.
const OWNER: &str = "ann";

/// Creates the world, unless it exists.
pub(super) async fn fill(system: &Worlds) -> Result<(), CommandError> {
    const ACTION: &str = "preparing the demonstration";
    let owner = WorldUser::parse(OWNER).map_err(|why| CommandError::new(ACTION, why))?;
    let created = create_demo_world(system, &owner).await;
    created.map(|_| ()).map_err(|error| worlds_error(ACTION, &error))
}

/// The link that signs the owner in; none outside demo mode.
pub(super) fn links(identity: &Identity) -> Vec<(String, String)> {
    let link = identity.sign_in_link(OWNER, &[]);
    link.map(|link| (OWNER.to_owned(), link)).into_iter().collect()
}

/// A token to try, as lines; none outside demo mode.
pub(super) fn tokens(identity: &Identity) -> Vec<String> {
    let Some(issuer) = identity.demo_issuer() else { return Vec::new() };
    vec![
        format!("Token of {OWNER}, who owns {DEMO_WORLD_NAME}: {}", issuer.token(OWNER, &[])),
        "Try: curl -H \"Authorization: Bearer $TOKEN\" URL/api/v1/worlds, or open URL/docs"
            .to_owned(),
    ]
}
