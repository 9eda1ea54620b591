//! Scripted platforms: a Vault, a target and a rollout in the memory of the test.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use secret_migration::{
    ExpectedVersion, PlatformError, PlatformFailure, Rollout, RolloutHealth, SecretBackend,
    SecretData, SecretLocation, SecretSource, SecretTarget, SecretVersion, SourceSecret,
    TargetSecret, WorkloadKey,
};

type Pairs = BTreeMap<String, String>;

#[derive(Clone, Default)]
pub(crate) struct Vault(Arc<Mutex<VaultState>>);

#[derive(Default)]
struct VaultState {
    secrets: BTreeMap<String, Vec<Option<Pairs>>>,
    busy: usize,
}

impl Vault {
    pub(crate) fn put(&self, path: &str, pairs: &[(&str, &str)]) {
        let pairs = pairs.iter().map(|(k, v)| ((*k).to_owned(), format!("\"{v}\""))).collect();
        self.0.lock().unwrap().secrets.entry(path.to_owned()).or_default().push(Some(pairs));
    }

    /// Deletes the newest version.
    pub(crate) fn delete(&self, path: &str) {
        *self.0.lock().unwrap().secrets.get_mut(path).unwrap().last_mut().unwrap() = None;
    }

    /// The next requests are refused as too many.
    pub(crate) fn busy(&self, requests: usize) {
        self.0.lock().unwrap().busy = requests;
    }

    pub(crate) fn data(&self, path: &str) -> Pairs {
        self.0.lock().unwrap().secrets[path].last().unwrap().clone().unwrap()
    }
}

fn to_data(pairs: &Pairs) -> SecretData {
    let text: Vec<String> = pairs.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
    SecretData::parse(format!("{{{}}}", text.join(",")).as_bytes()).unwrap()
}

fn failure(failure: PlatformFailure, subject: &str) -> PlatformError {
    PlatformError { failure, subject: subject.to_owned() }
}

#[async_trait]
impl SecretSource for Vault {
    async fn read(
        &self,
        location: &SecretLocation,
        number: Option<u64>,
    ) -> Result<SourceSecret, PlatformError> {
        let version = match number {
            Some(number) => number,
            None => self.live_version(location).await?,
        };
        let state = self.0.lock().unwrap();
        let path = location.to_string();
        match &state.secrets[&path][version as usize - 1] {
            Some(pairs) => Ok(SourceSecret { version, data: to_data(pairs) }),
            None => Err(failure(PlatformFailure::Deleted { version, destroyed: false }, &path)),
        }
    }

    async fn live_versions(&self, location: &SecretLocation) -> Result<Vec<u64>, PlatformError> {
        let state = self.0.lock().unwrap();
        let versions = state.secrets[&location.to_string()].iter().zip(1..);
        Ok(versions.filter(|(pairs, _)| pairs.is_some()).map(|(_, number)| number).collect())
    }

    async fn live_version(&self, location: &SecretLocation) -> Result<u64, PlatformError> {
        let mut state = self.0.lock().unwrap();
        let path = location.to_string();
        if state.busy > 0 {
            state.busy -= 1;
            let retry_after = Some(Duration::from_secs(1));
            return Err(failure(PlatformFailure::Busy { retry_after }, &path));
        }
        let Some(versions) = state.secrets.get(&path) else {
            return Err(failure(PlatformFailure::Missing, &path));
        };
        let version = versions.len() as u64;
        match versions.last() {
            Some(Some(_)) => Ok(version),
            _ => Err(failure(PlatformFailure::Deleted { version, destroyed: false }, &path)),
        }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Target(Arc<Mutex<TargetState>>);

#[derive(Default)]
struct TargetState {
    secrets: BTreeMap<String, Vec<Pairs>>,
    failing_writes: usize,
    busy_writes: usize,
    failing_paths: BTreeSet<String>,
    lost_responses: usize,
}

impl Target {
    /// The next writes fail.
    pub(crate) fn fail_writes(&self, writes: usize) {
        self.0.lock().unwrap().failing_writes = writes;
    }

    /// The next writes are refused as too many.
    pub(crate) fn busy(&self, writes: usize) {
        self.0.lock().unwrap().busy_writes = writes;
    }

    /// Writes to paths that contain this text fail.
    pub(crate) fn fail_path(&self, part: &str) {
        self.0.lock().unwrap().failing_paths.insert(part.to_owned());
    }

    /// The next writes are made, and their responses are lost.
    pub(crate) fn lose_responses(&self, writes: usize) {
        self.0.lock().unwrap().lost_responses = writes;
    }

    pub(crate) fn put(&self, path: &str, pairs: &[(&str, &str)]) {
        let pairs = pairs.iter().map(|(k, v)| ((*k).to_owned(), format!("\"{v}\""))).collect();
        self.0.lock().unwrap().secrets.entry(path.to_owned()).or_default().push(pairs);
    }

    /// Versions by path.
    pub(crate) fn versions(&self) -> BTreeMap<String, usize> {
        let state = self.0.lock().unwrap();
        state.secrets.iter().map(|(path, versions)| (path.clone(), versions.len())).collect()
    }

    pub(crate) fn data(&self, path: &str) -> Pairs {
        self.0.lock().unwrap().secrets[path].last().unwrap().clone()
    }

    /// The passwords of all versions, oldest first.
    pub(crate) fn passwords(&self, path: &str) -> Vec<String> {
        let state = self.0.lock().unwrap();
        state.secrets[path]
            .iter()
            .map(|pairs| pairs["password"].trim_matches('"').to_owned())
            .collect()
    }
}

#[async_trait]
impl SecretTarget for Target {
    fn numbers_versions(&self) -> bool {
        true
    }

    async fn read(&self, path: &str) -> Result<Option<TargetSecret>, PlatformError> {
        let state = self.0.lock().unwrap();
        Ok(state.secrets.get(path).map(|versions| TargetSecret {
            version: SecretVersion::Number(versions.len() as u64),
            data: to_data(versions.last().unwrap()),
        }))
    }

    async fn write(
        &self,
        path: &str,
        data: &SecretData,
        expected: &ExpectedVersion,
    ) -> Result<SecretVersion, PlatformError> {
        let mut state = self.0.lock().unwrap();
        if state.busy_writes > 0 {
            state.busy_writes -= 1;
            return Err(failure(PlatformFailure::Busy { retry_after: None }, path));
        }
        let is_failing = state.failing_paths.iter().any(|part| path.contains(part.as_str()));
        if is_failing || state.failing_writes > 0 {
            state.failing_writes = state.failing_writes.saturating_sub(1);
            return Err(failure(PlatformFailure::Refused { status: 400 }, path));
        }
        let now = state.secrets.get(path).map_or(0, Vec::len) as u64;
        let expected = match expected {
            ExpectedVersion::Absent => 0,
            ExpectedVersion::Version(SecretVersion::Number(number)) => *number,
            ExpectedVersion::Version(SecretVersion::Text(_)) => u64::MAX,
        };
        if now != expected {
            return Err(failure(PlatformFailure::VersionConflict, path));
        }
        let pairs = data.iter().map(|(k, v)| (k.to_owned(), v.expose_json().to_owned())).collect();
        state.secrets.entry(path.to_owned()).or_default().push(pairs);
        if state.lost_responses > 0 {
            state.lost_responses -= 1;
            let why = "the connection was lost".to_owned();
            return Err(failure(PlatformFailure::Unreachable { why }, path));
        }
        Ok(SecretVersion::Number(now + 1))
    }
}

#[derive(Clone, Default)]
pub(crate) struct Restarts(Arc<Mutex<RestartState>>);

#[derive(Default)]
struct RestartState {
    triggers: Vec<(String, SecretBackend, u64)>,
    health: Option<RolloutHealth>,
}

impl Restarts {
    pub(crate) fn health(&self, health: RolloutHealth) {
        self.0.lock().unwrap().health = Some(health);
    }

    pub(crate) fn triggers(&self) -> Vec<(String, SecretBackend, u64)> {
        self.0.lock().unwrap().triggers.clone()
    }
}

#[async_trait]
impl Rollout for Restarts {
    async fn trigger(
        &self,
        workload: &WorkloadKey,
        backend: SecretBackend,
        change: u64,
    ) -> Result<(), String> {
        self.0.lock().unwrap().triggers.push((workload.id(), backend, change));
        Ok(())
    }

    async fn health(&self, _: &WorkloadKey) -> RolloutHealth {
        self.0.lock().unwrap().health.clone().unwrap_or(RolloutHealth::Healthy)
    }
}
