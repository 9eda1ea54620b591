//! The issuer of bearer tokens and the roles of its callers, as flags name them.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use gateway::{Issuer, KeySource, RoleAssignments};

use crate::failure::Failure;

/// The flags about bearer tokens.
#[derive(Clone, Debug, Args)]
pub(crate) struct IssuerFlags {
    /// Issuer whose bearer tokens are accepted: the text of 'iss' in them
    #[arg(long, value_name = "URL", requires_all = ["audience", "jwks", "role_assignments"])]
    issuer: Option<String>,

    /// For whom the tokens must be meant: the text of 'aud' in them; may be given several times
    #[arg(long, value_name = "TEXT", requires = "issuer")]
    audience: Vec<String>,

    /// File or address of the keys the issuer signs with
    #[arg(long, value_name = "FILE|URL", requires = "issuer")]
    jwks: Option<String>,

    /// JSON file that says which callers of the issuer may do what
    #[arg(long, value_name = "FILE", requires = "issuer")]
    role_assignments: Option<PathBuf>,
}

/// What the flags say, read and checked.
#[derive(Debug, Default)]
pub(crate) struct Trust {
    pub(crate) issuer: Option<Arc<Issuer>>,
    pub(crate) role_assignments: Arc<RoleAssignments>,
}

impl IssuerFlags {
    pub(crate) fn trust(&self) -> Result<Trust, Failure> {
        let (Some(issuer), Some(keys), Some(roles)) =
            (&self.issuer, &self.jwks, &self.role_assignments)
        else {
            return Ok(Trust::default());
        };
        let source = match keys.contains("://") {
            true => KeySource::Url(keys.clone()),
            false => KeySource::File(PathBuf::from(keys)),
        };
        let issuer = Issuer::new(issuer, self.audience.clone(), source).map_err(|invalid| {
            Failure::new("trusting an issuer", invalid.message())
                .way_out("Give --issuer, --audience and --jwks as its tokens and its keys say")
        })?;
        let text = std::fs::read_to_string(roles).map_err(|error| {
            Failure::new(format!("reading {}", roles.display()), error.to_string())
                .way_out("Give a JSON file with roleAssignments")
        })?;
        let role_assignments = RoleAssignments::parse(&text).map_err(|invalid| {
            Failure::new(format!("reading {}", roles.display()), invalid.message()).way_out(
                "Give {\"roleAssignments\":[{\"principalId\":...,\"roleDefinitionId\":...,\"scope\":...}]}",
            )
        })?;
        let role_assignments = Arc::new(role_assignments);
        Ok(Trust { issuer: Some(Arc::new(issuer)), role_assignments })
    }
}
