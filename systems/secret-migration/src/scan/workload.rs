//! What Kubernetes objects say about secrets in Vault.
//!
//! Owns the four ways a workload can use Vault: annotations of the agent injector, a CSI `SecretProviderClass`, an
//! `ExternalSecret`, and the resources of the Vault Secrets Operator. The last three name Kubernetes objects that a pod
//! refers to, so all objects of a cluster are looked at together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::domain::{
    HashiSecrets, MappingInput, NamespaceName, SourceReference, WorkloadKind, WorkloadName,
};

use super::manifest::{at, text, text_at};

/// A workload that uses Vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundWorkload {
    /// Its namespace.
    pub namespace: NamespaceName,
    /// Its name.
    pub name: WorkloadName,
    /// What it is.
    pub kind: WorkloadKind,
    /// Its secrets.
    pub secrets: HashiSecrets,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
}

/// What a set of objects says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanResult {
    /// Workloads that use Vault.
    pub workloads: Vec<FoundWorkload>,
    /// Namespaces with a mapping in their annotations.
    pub namespaces: Vec<(NamespaceName, MappingInput)>,
    /// Objects that could not be understood, and why.
    pub problems: Vec<String>,
}

/// A path in Vault with its keys.
type Paths = BTreeMap<(String, String), BTreeSet<String>>;

const INJECT: &str = "vault.hashicorp.com/agent-inject";
const INJECT_SECRET: &str = "vault.hashicorp.com/agent-inject-secret-";
const INJECT_TEMPLATE: &str = "vault.hashicorp.com/agent-inject-template-";
const SMP_PATH: &str = "planisphere.dev/smp-path";
const SMP_ADDRESS: &str = "planisphere.dev/smp-address";
const TEMPORARY: &str = "planisphere.dev/temporary";

/// Finds the workloads that use Vault. `default_mount` is for paths without a known mount.
#[must_use]
pub fn find_workloads(objects: &[Value], default_mount: &str) -> ScanResult {
    let mut result = ScanResult::default();
    let named = NamedSources::collect(objects, default_mount);
    let mut workloads = BTreeMap::new();
    for object in objects {
        let kind = text(object, "kind").unwrap_or_default();
        if kind == "Namespace" {
            add_namespace(object, &mut result);
        }
        if let Some(kind) = WorkloadKind::from_name(kind) {
            let mut paths = Paths::new();
            let pod = pod_template(object, kind);
            add_injected(pod, default_mount, &mut paths);
            named.add_used(pod, namespace_of(object), &mut paths);
            if !paths.is_empty() {
                match names_of(object) {
                    Ok(names) => add_workload(&mut workloads, names, object, kind, paths),
                    Err(why) => result.problems.push(format!("{} {why}", kind.name())),
                }
            }
        }
    }
    let workloads = workloads.into_iter().map(|((namespace, name), parts)| FoundWorkload {
        namespace,
        name,
        kind: parts.kind,
        secrets: to_secrets(parts.paths),
        labels: parts.labels,
    });
    result.workloads = workloads.collect();
    result
}

/// What the objects of one name say.
struct WorkloadParts {
    kind: WorkloadKind,
    paths: Paths,
    labels: BTreeMap<String, String>,
}

fn namespace_of(object: &Value) -> &str {
    text_at(object, &["metadata", "namespace"]).unwrap_or("default")
}

fn pod_template(object: &Value, kind: WorkloadKind) -> Option<&Value> {
    match kind {
        WorkloadKind::CronJob => at(object, &["spec", "jobTemplate", "spec", "template"]),
        _ => at(object, &["spec", "template"]),
    }
}

fn names_of(object: &Value) -> Result<(NamespaceName, WorkloadName), String> {
    let name = text_at(object, &["metadata", "name"]).unwrap_or_default();
    let names = NamespaceName::parse(namespace_of(object))
        .and_then(|namespace| Ok((namespace, WorkloadName::parse(name)?)));
    names.map_err(|why| format!("'{name}': {why}"))
}

/// Objects of several kinds may have one name, such as a Deployment and the Job that migrates its database. They are one
/// workload: an id has no kind, and a switch must find the secrets of both. Its kind and its labels are those of the
/// first kind in the order of [`WorkloadKind`], whatever the order of the objects.
fn add_workload(
    workloads: &mut BTreeMap<(NamespaceName, WorkloadName), WorkloadParts>,
    names: (NamespaceName, WorkloadName),
    object: &Value,
    kind: WorkloadKind,
    paths: Paths,
) {
    let labels = string_map(at(object, &["metadata", "labels"]));
    let Some(known) = workloads.get_mut(&names) else {
        workloads.insert(names, WorkloadParts { kind, paths, labels });
        return;
    };
    if kind < known.kind {
        (known.kind, known.labels) = (kind, labels);
    }
    add_paths(&mut known.paths, paths);
}

fn add_paths(known: &mut Paths, more: Paths) {
    for (path, keys) in more {
        known.entry(path).or_default().extend(keys);
    }
}

/// The mount of most paths is that of the whole; others have their own.
fn to_secrets(paths: Paths) -> HashiSecrets {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (mount, _) in paths.keys() {
        *counts.entry(mount).or_default() += 1;
    }
    let mount =
        counts.iter().max_by_key(|(_, count)| **count).map(|(mount, _)| (*mount).to_owned());
    let mount = mount.unwrap_or_default();
    let item = |((own, path), keys): ((String, String), BTreeSet<String>)| SourceReference {
        mount: (own != mount).then_some(own),
        path,
        keys: keys.into_iter().collect(),
        version: None,
        fingerprint: None,
    };
    let items = paths.into_iter().map(item).collect();
    HashiSecrets { address: None, mount, items, fingerprint_key: None }
}

/// Annotations of the agent injector. `agent-inject: "false"` switches them off.
fn add_injected(pod: Option<&Value>, default_mount: &str, paths: &mut Paths) {
    let annotations = string_map(pod.and_then(|pod| at(pod, &["metadata", "annotations"])));
    if annotations.get(INJECT).is_none_or(|value| value != "true") {
        return;
    }
    for (name, value) in &annotations {
        if let Some(file) = name.strip_prefix(INJECT_SECRET) {
            let template = annotations.get(&format!("{INJECT_TEMPLATE}{file}"));
            let keys = template.map(|text| template_keys(text)).unwrap_or_default();
            paths.entry(split_path(value, default_mount)).or_default().extend(keys);
        }
    }
}

/// Keys that a template uses: `.Data.data.password`, or `.Data.password` of version 1.
fn template_keys(template: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for part in template.split(".Data.").skip(1) {
        let part = part.strip_prefix("data.").unwrap_or(part);
        let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
        let key = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
        if !key.is_empty() && key != "data" {
            keys.insert(key.to_owned());
        }
    }
    keys
}

/// `secret/data/app/db` of version 2 and `secret/app/db` of version 1 are the same mount and path for us.
fn split_path(path: &str, default_mount: &str) -> (String, String) {
    let path = path.trim_matches('/');
    match path.split_once('/') {
        None => (default_mount.to_owned(), path.to_owned()),
        Some((mount, rest)) => {
            (mount.to_owned(), rest.strip_prefix("data/").unwrap_or(rest).to_owned())
        }
    }
}

/// Objects that stand for paths in Vault, by namespace and the name that pods use.
#[derive(Default)]
struct NamedSources {
    /// Kubernetes secrets that an operator fills from Vault.
    secrets: BTreeMap<(String, String), Paths>,
    /// Classes of the CSI driver.
    classes: BTreeMap<(String, String), Paths>,
}

impl NamedSources {
    fn collect(objects: &[Value], default_mount: &str) -> Self {
        let mut named = Self::default();
        let others = other_stores(objects);
        for object in objects {
            let own = || text_at(object, &["metadata", "name"]).unwrap_or_default().to_owned();
            let target = |path: &[&str]| text_at(object, path).map_or_else(own, str::to_owned);
            let (name, paths, is_class) = match text(object, "kind").unwrap_or_default() {
                "SecretProviderClass"
                    if text_at(object, &["spec", "provider"]) == Some("vault") =>
                {
                    (own(), provider_paths(object, default_mount), true)
                }
                "ExternalSecret" if !others.contains(&store_of(object)) => {
                    let name = target(&["spec", "target", "name"]);
                    (name, external_paths(object, default_mount), false)
                }
                "VaultStaticSecret" | "VaultDynamicSecret" => {
                    let name = target(&["spec", "destination", "name"]);
                    (name, operator_paths(object, default_mount), false)
                }
                _ => continue,
            };
            let all = if is_class { &mut named.classes } else { &mut named.secrets };
            add_paths(all.entry((namespace_of(object).to_owned(), name)).or_default(), paths);
        }
        named
    }

    /// Adds what a pod uses: volumes of the CSI driver, and secrets in volumes and variables.
    fn add_used(&self, pod: Option<&Value>, namespace: &str, paths: &mut Paths) {
        let Some(spec) = pod.and_then(|pod| pod.get("spec")) else { return };
        let mut secrets = BTreeSet::new();
        let mut classes = BTreeSet::new();
        for volume in list(spec.get("volumes")) {
            let class = ["csi", "volumeAttributes", "secretProviderClass"];
            classes.extend(text_at(volume, &class));
            secrets.extend(text_at(volume, &["secret", "secretName"]));
            for source in list(at(volume, &["projected", "sources"])) {
                secrets.extend(text_at(source, &["secret", "name"]));
            }
        }
        for group in ["containers", "initContainers"] {
            for container in list(spec.get(group)) {
                for variable in list(container.get("env")) {
                    secrets.extend(text_at(variable, &["valueFrom", "secretKeyRef", "name"]));
                }
                for source in list(container.get("envFrom")) {
                    secrets.extend(text_at(source, &["secretRef", "name"]));
                }
            }
        }
        let find = |all: &BTreeMap<(String, String), Paths>, name: &str| {
            all.get(&(namespace.to_owned(), name.to_owned())).cloned().unwrap_or_default()
        };
        let found = secrets.into_iter().map(|name| find(&self.secrets, name));
        let found = found.chain(classes.into_iter().map(|name| find(&self.classes, name)));
        found.for_each(|more| add_paths(paths, more));
    }
}

/// A store of the External Secrets Operator: its kind, its namespace unless it is for the whole cluster, its name.
type StoreName<'a> = (&'a str, &'a str, &'a str);

const STORE: &str = "SecretStore";
const CLUSTER_STORE: &str = "ClusterSecretStore";

/// Stores that are known to be on another platform. One that nobody has listed is taken for a Vault: a workload too many
/// is noticed, one that is left out is not.
fn other_stores(objects: &[Value]) -> BTreeSet<StoreName<'_>> {
    let mut others = BTreeSet::new();
    for object in objects {
        let name = text_at(object, &["metadata", "name"]).unwrap_or_default();
        let store = match text(object, "kind") {
            Some(STORE) => (STORE, namespace_of(object), name),
            Some(CLUSTER_STORE) => (CLUSTER_STORE, "", name),
            _ => continue,
        };
        let provider = at(object, &["spec", "provider"]);
        if provider.is_some_and(|provider| provider.get("vault").is_none()) {
            others.insert(store);
        }
    }
    others
}

fn store_of(external: &Value) -> StoreName<'_> {
    let name = text_at(external, &["spec", "secretStoreRef", "name"]).unwrap_or_default();
    match text_at(external, &["spec", "secretStoreRef", "kind"]) {
        Some(CLUSTER_STORE) => (CLUSTER_STORE, "", name),
        _ => (STORE, namespace_of(external), name),
    }
}

/// The objects of a CSI class are YAML inside a text.
fn provider_paths(object: &Value, default_mount: &str) -> Paths {
    let mut paths = Paths::new();
    let objects = text_at(object, &["spec", "parameters", "objects"]).unwrap_or_default();
    let objects: Value = serde_saphyr::from_str(objects).unwrap_or_default();
    for one in list(Some(&objects)) {
        if let Some(path) = text(one, "secretPath") {
            let keys = paths.entry(split_path(path, default_mount)).or_default();
            keys.extend(text(one, "secretKey").map(str::to_owned));
        }
    }
    paths
}

fn external_paths(object: &Value, default_mount: &str) -> Paths {
    let mut paths = Paths::new();
    let data = list(at(object, &["spec", "data"])).iter().filter_map(|one| one.get("remoteRef"));
    let whole = list(at(object, &["spec", "dataFrom"])).iter();
    let whole = whole.filter_map(|one| one.get("extract"));
    for reference in data.chain(whole) {
        if let Some(key) = text(reference, "key") {
            let keys = paths.entry(split_path(key, default_mount)).or_default();
            keys.extend(text(reference, "property").map(str::to_owned));
        }
    }
    paths
}

fn operator_paths(object: &Value, default_mount: &str) -> Paths {
    let mount = text_at(object, &["spec", "mount"]).unwrap_or(default_mount).trim_matches('/');
    let path = text_at(object, &["spec", "path"]).map(|path| path.trim_matches('/'));
    path.into_iter().map(|path| ((mount.to_owned(), path.to_owned()), BTreeSet::new())).collect()
}

fn add_namespace(object: &Value, result: &mut ScanResult) {
    let name = text_at(object, &["metadata", "name"]).unwrap_or_default();
    let annotations = string_map(at(object, &["metadata", "annotations"]));
    let Some(path) = annotations.get(SMP_PATH) else { return };
    match NamespaceName::parse(name) {
        Err(why) => result.problems.push(why),
        Ok(name) => {
            let labels = string_map(at(object, &["metadata", "labels"]));
            let created = text_at(object, &["metadata", "creationTimestamp"]);
            let input = MappingInput {
                smp_address: annotations.get(SMP_ADDRESS).cloned(),
                smp_path: path.clone(),
                environment: labels.get("environment").cloned(),
                temporary: annotations.get(TEMPORARY).is_some_and(|value| value == "true"),
                source_created_at: created
                    .and_then(|at| crate::domain::UtcTimestamp::parse(at).ok()),
            };
            result.namespaces.push((name, input));
        }
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn string_map(value: Option<&Value>) -> BTreeMap<String, String> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        // YAML reads an unquoted `true` or `1` as such; Kubernetes wants texts, people forget the quotes.
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    };
    entries.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}
