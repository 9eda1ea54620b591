//! States of projections on an account: one item per projector and version.

use async_trait::async_trait;
use client::ErrorKind as AccountErrorKind;

use crate::error::{Error, ErrorKind, Result};
use crate::service_id::ServiceId;
use crate::storage::{SaveMode, StateStorage, StoredProjectionState, newest_first};

use super::documents::StateDocument;
use super::settle::is_lost_race;
use super::storage::AccountStorage;

/// Others can save between a read and a write only so often.
const ROUNDS_MAX: u32 = 20;

#[async_trait]
impl StateStorage for AccountStorage {
    async fn save(
        &self,
        service: &ServiceId,
        state: &StoredProjectionState,
        mode: SaveMode,
    ) -> Result<u64> {
        let tenant = self.tenant(service)?;
        let key = tenant.state_key(&state.projector_name);
        for _ in 0..ROUNDS_MAX {
            let found = tenant.states.read::<StateDocument>(&key, &state.projector_version).await;
            let (stored, etag) = match found {
                Ok(found) => (found.value.value.state.revision, found.value.etag()),
                Err(error) if error.kind() == AccountErrorKind::NotFound => (0, None),
                Err(error) => return Err(error.into()),
            };
            mode.check(stored, state)?;
            let state = StoredProjectionState { revision: stored + 1, ..state.clone() };
            let document = tenant.state_document(&state);
            let written = match &etag {
                Some(etag) => tenant.states.replace(&key, &document, Some(etag)).await,
                None => tenant.states.create(&key, &document).await,
            };
            match written {
                Ok(_) => return Ok(state.revision),
                Err(error) if is_lost_race(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let message = format!("others save the state of '{}' all the time", state.projector_name);
        Err(Error::new(ErrorKind::Conflict, message))
    }

    async fn state(
        &self,
        service: &ServiceId,
        name: &str,
        version: &str,
    ) -> Result<Option<StoredProjectionState>> {
        let tenant = self.tenant(service)?;
        match tenant.states.read::<StateDocument>(&tenant.state_key(name), version).await {
            Ok(found) => {
                let document = found.value.into_value();
                let is_own = tenant.owns(document.service_id.as_ref(), "state");
                Ok(is_own.then_some(document.state))
            }
            Err(error) if error.kind() == AccountErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn states(
        &self,
        service: &ServiceId,
        name: Option<&str>,
    ) -> Result<Vec<StoredProjectionState>> {
        let tenant = self.tenant(service)?;
        let query = match name {
            Some(name) => tenant.states_of(name),
            None => tenant.all_states(),
        };
        let found = tenant.states.query::<StateDocument>(&query).await?.value;
        let own = found.into_iter();
        let own = own.filter(|one| tenant.owns(one.service_id.as_ref(), "state"));
        let mut states: Vec<_> = own.map(|document| document.state).collect();
        newest_first(&mut states);
        Ok(states)
    }

    async fn delete(&self, service: &ServiceId, name: &str, version: &str) -> Result<bool> {
        let tenant = self.tenant(service)?;
        match tenant.states.delete(&tenant.state_key(name), version, None).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == AccountErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
