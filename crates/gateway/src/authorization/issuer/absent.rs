//! The issuer of a build without the feature `issuer`: there is none.

use engine::Environment;
use jwks::UnverifiedToken;

use super::identity::BearerIdentity;
use crate::http::ApiResult;

/// A trusted issuer of bearer tokens. This build has no value of it: enable the feature `issuer`.
#[derive(Debug)]
pub enum AbsentIssuer {}

impl AbsentIssuer {
    pub(in crate::authorization) async fn authenticate(
        &self,
        _environment: &Environment,
        _token: &UnverifiedToken<'_>,
    ) -> ApiResult<BearerIdentity> {
        match *self {}
    }
}
