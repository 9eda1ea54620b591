//! The issuer of bearer tokens and the role assignments of its callers.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
#[cfg(feature = "issuer")]
use gateway::KeySource;
use gateway::{Issuer, RoleAssignments};

use crate::error::CommandError;

/// The flags about bearer tokens.
#[derive(Clone, Debug, Args)]
pub(crate) struct IssuerFlags {
    /// Issuer whose bearer tokens are accepted: their 'iss' claim
    #[arg(long, value_name = "URL", requires_all = ["audience", "jwks", "role_assignments"])]
    issuer: Option<String>,

    /// Audience that tokens must be issued for: their 'aud' claim; may be repeated
    #[arg(long, value_name = "TEXT", requires = "issuer")]
    audience: Vec<String>,

    /// File or URL of the issuer's signing keys
    #[arg(long, value_name = "FILE|URL", requires = "issuer")]
    jwks: Option<String>,

    /// JSON file with the role assignments of the issuer's callers
    #[arg(long, value_name = "FILE", requires = "issuer")]
    role_assignments: Option<PathBuf>,
}

/// The issuer and the role assignments, validated.
#[derive(Debug, Default)]
pub(crate) struct TrustedIssuer {
    pub(crate) issuer: Option<Arc<Issuer>>,
    pub(crate) role_assignments: Arc<RoleAssignments>,
}

impl IssuerFlags {
    pub(crate) fn trust(&self) -> Result<TrustedIssuer, CommandError> {
        let (Some(issuer), Some(keys), Some(roles)) =
            (&self.issuer, &self.jwks, &self.role_assignments)
        else {
            return Ok(TrustedIssuer::default());
        };
        let issuer = self.build(issuer, keys)?;
        let text = std::fs::read_to_string(roles).map_err(|error| {
            CommandError::new(format!("reading {}", roles.display()), error.to_string())
                .hint("Give a JSON file with roleAssignments")
        })?;
        let role_assignments = RoleAssignments::parse(&text).map_err(|invalid| {
            CommandError::new(format!("reading {}", roles.display()), invalid.message()).hint(
                "Give {\"roleAssignments\":[{\"principalId\":...,\"roleDefinitionId\":...,\"scope\":...}]}",
            )
        })?;
        let role_assignments = Arc::new(role_assignments);
        Ok(TrustedIssuer { issuer: Some(Arc::new(issuer)), role_assignments })
    }

    #[cfg(feature = "issuer")]
    fn build(&self, issuer: &str, keys: &str) -> Result<Issuer, CommandError> {
        let source = match keys.contains("://") {
            true => KeySource::Url(keys.to_owned()),
            false => KeySource::File(PathBuf::from(keys)),
        };
        Issuer::new(issuer, self.audience.clone(), source).map_err(|invalid| {
            CommandError::new("trusting an issuer", invalid.message()).hint(
                "Give --issuer, --audience and --jwks as in the tokens and keys of the issuer",
            )
        })
    }

    #[cfg(not(feature = "issuer"))]
    fn build(&self, _issuer: &str, _keys: &str) -> Result<Issuer, CommandError> {
        let reason = "this binary was built without the feature 'issuer'";
        Err(CommandError::new("trusting an issuer", reason)
            .hint("Build it in: cargo run --release --features issuer -- serve ..."))
    }
}
