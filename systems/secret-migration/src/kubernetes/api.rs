//! Requests to the interface: whole lists, page by page.
//!
//! Owns what a refused page means: a list whose place is lost (410) begins anew, so it is never half of one list and
//! half of another; a resource that may not be read stops the scan, because its objects would look vanished.

use std::time::Duration;

use client::Environment;
use serde::Deserialize;
use serde_json::Value;
use service::settings::Secret;

use crate::domain::ClusterName;
use crate::error::{Error, ErrorKind, Result};

use super::resource::{KubernetesResource, RESOURCES};
use super::settings::KubernetesSettings;

/// Lists that are begun anew before the scan gives up.
const RESTARTS_MAX: usize = 5;
/// Repeats of a request to a busy interface.
const REPEATS_MAX: u32 = 5;
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// The interface of one cluster.
pub struct KubernetesApi {
    pub(super) settings: KubernetesSettings,
    pub(super) cluster: ClusterName,
    pub(super) http: reqwest::Client,
    pub(super) environment: Environment,
}

/// A whole list.
pub(super) struct KubernetesList {
    pub(super) objects: Vec<Value>,
    /// Where a watch goes on.
    pub(super) version: String,
}

#[derive(Deserialize)]
struct ListPage {
    #[serde(default)]
    metadata: ListMetadata,
    #[serde(default)]
    items: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListMetadata {
    resource_version: String,
    #[serde(rename = "continue")]
    next: Option<String>,
}

/// What became of one page.
enum PageAnswer {
    Page(ListPage),
    /// The place in the list is too old.
    Gone,
    /// The cluster does not have the resource.
    NoResource,
}

impl KubernetesApi {
    /// A connection with these settings. Nothing is sent yet.
    ///
    /// # Errors
    /// `Invalid` for a name, an address or a certificate file that cannot be used.
    pub fn open(settings: KubernetesSettings, environment: Environment) -> Result<Self> {
        let wrong = |why: String| Error::invalid(format!("Kubernetes:{why}"));
        let cluster = ClusterName::parse(&settings.cluster);
        let cluster = cluster.map_err(|why| wrong(format!("Cluster: {why}")))?;
        if !settings.address.starts_with("http") {
            let address = &settings.address;
            return Err(wrong(format!("Address: '{address}' is no http or https address")));
        }
        let mut http = reqwest::Client::builder().no_proxy().connect_timeout(BUSY_PAUSE * 10);
        if !settings.ca_file.is_empty() {
            let file = |error: &dyn std::fmt::Display| wrong(format!("CaFile: {error}"));
            let pem = std::fs::read(&settings.ca_file).map_err(|error| file(&error))?;
            let trusted = reqwest::Certificate::from_pem_bundle(&pem);
            http = http.tls_certs_merge(trusted.map_err(|error| file(&error))?);
        }
        let http = http.build().map_err(|error| wrong(format!("Address: {error}")))?;
        Ok(Self { settings, cluster, http, environment })
    }

    /// The name of the cluster.
    #[must_use]
    pub fn cluster(&self) -> &ClusterName {
        &self.cluster
    }

    /// All objects that a scan needs.
    ///
    /// # Errors
    /// `Unavailable` if the interface does not answer or refuses a resource that every cluster has, `BadAnswer` for an
    /// answer that is no list.
    pub async fn list_all(&self) -> Result<Vec<Value>> {
        let mut objects = Vec::new();
        for resource in RESOURCES {
            objects.extend(self.list(resource).await?.map(|list| list.objects).unwrap_or_default());
        }
        Ok(objects)
    }

    /// All objects of a resource; `None` if the cluster does not have it.
    pub(super) async fn list(
        &self,
        resource: KubernetesResource,
    ) -> Result<Option<KubernetesList>> {
        'anew: for _ in 0..RESTARTS_MAX {
            let mut objects = Vec::new();
            let mut next: Option<String> = None;
            loop {
                let page = match self.page(resource, next.as_deref()).await? {
                    PageAnswer::Page(page) => page,
                    PageAnswer::Gone => continue 'anew,
                    PageAnswer::NoResource => return Ok(None),
                };
                objects.extend(page.items.into_iter().map(|object| named(object, resource)));
                next = page.metadata.next.filter(|next| !next.is_empty());
                if next.is_none() {
                    let version = page.metadata.resource_version;
                    return Ok(Some(KubernetesList { objects, version }));
                }
            }
        }
        let message = format!("{} expires faster than it can be listed", resource.path);
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    async fn page(&self, resource: KubernetesResource, next: Option<&str>) -> Result<PageAnswer> {
        let mut query = format!("limit={}", self.settings.page_size);
        if let Some(next) = next {
            query.push_str(&format!("&continue={}", encode(next)));
        }
        let path = resource.path;
        let failed = |what: String| Error::new(ErrorKind::Unavailable, format!("{path}: {what}"));
        for repeat in 0..REPEATS_MAX {
            let response = self.get(resource, &query).await?;
            let status = response.status().as_u16();
            match status {
                200 => {
                    let page = response.json().await.map_err(|_| {
                        Error::new(ErrorKind::BadAnswer, format!("{path}: no list of objects"))
                    })?;
                    return Ok(PageAnswer::Page(page));
                }
                410 => return Ok(PageAnswer::Gone),
                404 if resource.is_optional => return Ok(PageAnswer::NoResource),
                429 | 500..=599 if repeat + 1 < REPEATS_MAX => {
                    let asked = response.headers().get("retry-after");
                    let asked = asked.and_then(|text| text.to_str().ok()?.parse().ok());
                    let pause = asked.map(Duration::from_secs).unwrap_or(BUSY_PAUSE * (repeat + 1));
                    self.environment.sleep(pause.min(BUSY_PAUSE * 60)).await;
                }
                _ => return Err(failed(format!("the interface answers {status}"))),
            }
        }
        Err(failed("the interface is busy".to_owned()))
    }

    pub(super) async fn get(
        &self,
        resource: KubernetesResource,
        query: &str,
    ) -> Result<reqwest::Response> {
        let address = self.settings.address.trim_end_matches('/');
        let path = resource.path;
        let token = self.token()?;
        let mut request = self.http.get(format!("{address}/{path}?{query}"));
        if token.is_set() {
            request = request.bearer_auth(token.expose());
        }
        request.send().await.map_err(|error| {
            Error::new(ErrorKind::Unavailable, format!("{path}: {}", error.without_url()))
        })
    }

    fn token(&self) -> Result<Secret> {
        if self.settings.token_file.is_empty() {
            return Ok(self.settings.token.clone());
        }
        let file = &self.settings.token_file;
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error::invalid(format!("Kubernetes:TokenFile {file}: {error}")))?;
        Ok(Secret::new(text.trim()))
    }
}

/// An object of a list with its version and kind.
pub(super) fn named(mut object: Value, resource: KubernetesResource) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), resource.api_version.into());
        members.insert("kind".to_owned(), resource.kind.into());
    }
    object
}

/// Percent-encodes everything that is not a letter or a digit.
fn encode(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    });
    encoded.collect()
}
