//! The demonstration: a cluster with workloads, a vault to come from and one to go to, inside this program.
//!
//! Seeding the same folder again adds nothing.

use client::{Account, StorageLocation};
use secret_migration::{
    ClusterName, EnvelopeKeys, ExpectedVersion, MappingInput, NamespaceName, OPERATOR_ROLE,
    SecretData, SecretMigration, SecretTarget, TRACKER_ADMIN_ROLE, VIEWER_ROLE, VaultClient,
    VaultServer, VaultServerSettings, parse_manifests,
};
use service::http::ServeOptions;
use service::identity::Identity;
use service::settings::Secret;
use std::time::Duration;
use tokio::net::TcpListener;

use super::configuration::TrackerSettings;
use super::open::tracker_error;
use crate::error::CommandError;

const ACTION: &str = "preparing the demonstration";
const CLUSTER: &str = "dev-1";
const NAMESPACES: [&str; 3] = ["shop", "billing", "search"];
const WORKLOADS_EACH: usize = 8;
/// Where `search-0` is to go.
const CONFLICT: &str = "apps/search/secret/search/search-0";

/// The people to sign in as.
const PEOPLE: [(&str, &[&str]); 3] =
    [("ann", &[TRACKER_ADMIN_ROLE]), ("bob", &[OPERATOR_ROLE]), ("carol", &[VIEWER_ROLE])];

/// The two vaults inside this program.
pub(super) struct DemoVaults {
    source: String,
    target: String,
    token: Secret,
}

impl DemoVaults {
    pub(super) async fn start() -> Result<Self, CommandError> {
        let token = EnvelopeKeys::generate().map_err(|error| tracker_error(ACTION, &error))?;
        let source = start_vault(&token).await?;
        let target = start_vault(&token).await?;
        Ok(Self { source, target, token })
    }

    /// The settings with these vaults instead of real ones.
    pub(super) fn settings(&self, settings: &TrackerSettings) -> TrackerSettings {
        let mut settings = settings.clone();
        settings.vault.address.clone_from(&self.source);
        settings.vault.token = self.token.clone();
        settings.smp.address.clone_from(&self.target);
        settings.smp.token = self.token.clone();
        settings
    }
}

/// Starts a vault in memory; it ends with the program.
async fn start_vault(token: &Secret) -> Result<String, CommandError> {
    let failed = |error| tracker_error(ACTION, &error);
    let account = Account::embedded(StorageLocation::Memory).await;
    let account = account.map_err(|error| CommandError::from_error(ACTION, &error))?;
    let settings = VaultServerSettings {
        database: "vault".to_owned(),
        root_token: token.clone(),
        keys: vec![EnvelopeKeys::generate().map_err(failed)?],
    };
    let vault = VaultServer::open(&account, &settings).await.map_err(failed)?;
    let io = |error: std::io::Error| CommandError::new(ACTION, error.to_string());
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(io)?;
    let address = format!("http://{}", listener.local_addr().map_err(io)?);
    let options = ServeOptions {
        grace: Duration::ZERO,
        header_read: Duration::from_secs(30),
        connections_max: 100,
    };
    tokio::spawn(async move {
        let shutdown = service::http::ShutdownSignal::default();
        service::http::serve(listener, vault.router(), &shutdown, options).await;
    });
    Ok(address)
}

/// Names and paths of sign-in links; none outside demo mode.
pub(super) fn links(identity: &Identity) -> Vec<(String, String)> {
    let link = |(name, roles): (&str, &[&str])| {
        Some((name.to_owned(), identity.sign_in_link(name, roles)?))
    };
    PEOPLE.into_iter().filter_map(link).collect()
}

/// Fills the vault and scans a cluster that uses it.
pub(super) async fn seed(
    system: &SecretMigration,
    settings: &TrackerSettings,
) -> Result<(), CommandError> {
    let failed = |error| tracker_error(ACTION, &error);
    let wrong = |why: String| CommandError::new(ACTION, why);
    let environment = system.account().environment().clone();
    let vault = VaultClient::open(settings.vault.clone(), environment).map_err(failed)?;
    let cluster = ClusterName::parse(CLUSTER).map_err(wrong)?;
    let mut manifests = String::new();
    let mut namespaces = Vec::new();
    for namespace in NAMESPACES {
        for number in 0..WORKLOADS_EACH {
            let name = format!("{namespace}-{number}");
            let text = format!(r#"{{"user":"{name}","password":"demo-{number}"}}"#);
            let data = SecretData::parse(text.as_bytes()).map_err(wrong)?;
            let path = format!("{namespace}/{name}");
            // A path that an earlier start has written stays as it is.
            let _ = vault.write(&path, &data, &ExpectedVersion::Absent).await;
            manifests.push_str(&manifest(namespace, &name, &path));
        }
        let input = MappingInput {
            smp_address: None,
            smp_path: format!("apps/{namespace}"),
            environment: Some("dev".to_owned()),
            temporary: false,
            source_created_at: None,
        };
        namespaces.push((NamespaceName::parse(namespace).map_err(wrong)?, input));
    }
    plant_conflict(settings, system).await?;
    system.sync_namespaces(&cluster, namespaces).await.map_err(failed)?;
    let objects = parse_manifests("demonstration", &manifests);
    let objects = objects.map_err(|error| wrong(error.to_string()))?;
    system.scan(&cluster, &objects, "secret", "demonstration").await.map_err(failed)?;
    Ok(())
}

/// Somebody else's secret where one of the workloads is to go: its migration fails, so that there is an error to see.
async fn plant_conflict(
    settings: &TrackerSettings,
    system: &SecretMigration,
) -> Result<(), CommandError> {
    let mut target = settings.vault.clone();
    target.address.clone_from(&settings.smp.address);
    let environment = system.account().environment().clone();
    let target = VaultClient::open(target, environment);
    let target = target.map_err(|error| tracker_error(ACTION, &error))?;
    let data = SecretData::parse(br#"{"owner":"another team"}"#);
    let data = data.map_err(|why| CommandError::new(ACTION, why))?;
    // One that an earlier start has written stays as it is.
    let _ = target.write(CONFLICT, &data, &ExpectedVersion::Absent).await;
    Ok(())
}

fn manifest(namespace: &str, name: &str, path: &str) -> String {
    format!(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: {namespace}\nspec:\n  \
         template:\n    metadata:\n      annotations:\n        vault.hashicorp.com/agent-inject: 'true'\n        \
         vault.hashicorp.com/role: {namespace}\n        \
         vault.hashicorp.com/agent-inject-secret-db: secret/data/{path}\n"
    )
}
