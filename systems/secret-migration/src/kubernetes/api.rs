//! Requests to the interface with the crate `kube`: whole lists, page by page.
//!
//! Owns what a refused page means: a list whose place is lost (410) begins anew, so it is never half of one list and
//! half of another; a resource that may not be read stops the scan, because its objects would look vanished. `kube`
//! owns the rest: certificates, tokens and their files, repeats of requests to a busy interface, lines of a watch.

use std::time::Duration;

use kube::api::{ListParams, ObjectList};
use kube::config::{AuthInfo, Config};
use kube::core::Request;
use kube::{Client, Error as KubeError};
use serde_json::Value;

use crate::domain::ClusterName;
use crate::error::{Error, ErrorKind, Result};

use super::resource::{KubernetesResource, RESOURCES};
use super::settings::KubernetesSettings;

/// Lists that are begun anew before the scan gives up.
const RESTARTS_MAX: usize = 5;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The status of a place in a list or a watch that the interface has forgotten.
const GONE: u16 = 410;
const NOT_FOUND: u16 = 404;

/// The interface of one cluster.
pub struct KubernetesApi {
    pub(super) settings: KubernetesSettings,
    pub(super) cluster: ClusterName,
    pub(super) client: Client,
}

/// A whole list.
pub(super) struct KubernetesList {
    pub(super) objects: Vec<Value>,
    /// Where a watch goes on.
    pub(super) version: String,
}

/// What became of one page.
enum PageAnswer {
    Page(ObjectList<Value>),
    /// The place in the list is too old.
    Gone,
    /// The cluster does not have the resource.
    NoResource,
}

impl KubernetesApi {
    /// A connection with these settings. Nothing is sent yet. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// `Invalid` for a name, an address or a certificate file that cannot be used.
    pub fn open(settings: KubernetesSettings) -> Result<Self> {
        let wrong = |why: String| Error::invalid(format!("Kubernetes:{why}"));
        let cluster = ClusterName::parse(&settings.cluster);
        let cluster = cluster.map_err(|why| wrong(format!("Cluster: {why}")))?;
        let address = &settings.address;
        let has_scheme = ["http://", "https://"].iter().any(|start| address.starts_with(start));
        let url =
            address.parse().ok().filter(|_| has_scheme).ok_or_else(|| {
                wrong(format!("Address: '{address}' is no http or https address"))
            })?;
        let mut config = Config::new(url);
        config.connect_timeout = Some(CONNECT_TIMEOUT);
        config.auth_info = credentials(&settings).map_err(wrong)?;
        let ca_file = &settings.ca_file;
        config.root_cert_file = (!ca_file.is_empty()).then(|| ca_file.into());
        let client = Client::try_from(config).map_err(|error| {
            let setting = if ca_file.is_empty() { "Address" } else { "CaFile" };
            wrong(format!("{setting}: {error}"))
        })?;
        Ok(Self { settings, cluster, client })
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
                next = page.metadata.continue_.filter(|next| !next.is_empty());
                if next.is_none() {
                    let version = page.metadata.resource_version.unwrap_or_default();
                    return Ok(Some(KubernetesList { objects, version }));
                }
            }
        }
        let message = format!("{} expires faster than it can be listed", resource.path);
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    async fn page(&self, resource: KubernetesResource, next: Option<&str>) -> Result<PageAnswer> {
        let mut parameters = ListParams::default().limit(self.settings.page_size);
        if let Some(next) = next {
            parameters = parameters.continue_token(next);
        }
        let request = request_of(resource).list(&parameters);
        let request =
            request.map_err(|error| unavailable(resource, &KubeError::BuildRequest(error)))?;
        // As text: where `kube` parses an answer itself, it logs one that it cannot parse.
        match self.client.request_text(request).await {
            Ok(text) => serde_json::from_str(&text).map(PageAnswer::Page).map_err(|_| {
                Error::new(ErrorKind::BadAnswer, format!("{}: no list of objects", resource.path))
            }),
            Err(error) if is_gone(&error) => Ok(PageAnswer::Gone),
            Err(error) if status_of(&error) == Some(NOT_FOUND) && resource.is_optional => {
                Ok(PageAnswer::NoResource)
            }
            Err(error) => Err(unavailable(resource, &error)),
        }
    }
}

fn credentials(settings: &KubernetesSettings) -> std::result::Result<AuthInfo, String> {
    let file = &settings.token_file;
    if file.is_empty() {
        let token = settings.token.is_set().then(|| settings.token.expose().to_owned().into());
        return Ok(AuthInfo { token, ..AuthInfo::default() });
    }
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("TokenFile {file}: {error}"))?;
    // `kube` sends the file as it is.
    if text.trim() != text {
        let why = "there are spaces or line breaks around the token; remove them";
        return Err(format!("TokenFile {file}: {why}"));
    }
    Ok(AuthInfo { token_file: Some(file.clone()), ..AuthInfo::default() })
}

/// Requests for all objects of a resource.
pub(super) fn request_of(resource: KubernetesResource) -> Request {
    Request::new(format!("/{}", resource.path))
}

/// Whether the interface has forgotten the place in a list or a watch.
pub(super) fn is_gone(error: &KubeError) -> bool {
    status_of(error) == Some(GONE)
}

fn status_of(error: &KubeError) -> Option<u16> {
    match error {
        KubeError::Api(status) => Some(status.code),
        _ => None,
    }
}

pub(super) fn unavailable(resource: KubernetesResource, error: &KubeError) -> Error {
    let path = resource.path;
    let message = match status_of(error) {
        Some(status) => format!("{path}: the interface answers {status}"),
        None => format!("{path}: {error}"),
    };
    Error::new(ErrorKind::Unavailable, message)
}

/// An object of a list with its version and kind.
pub(super) fn named(mut object: Value, resource: KubernetesResource) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), resource.api_version.into());
        members.insert("kind".to_owned(), resource.kind.into());
    }
    object
}
