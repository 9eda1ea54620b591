//! Folders of manifests: one folder per cluster, with YAML files at any depth.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::domain::ClusterName;
use crate::error::{Error, Result};

use super::manifest::parse_manifests;

/// Larger files are no manifests.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The clusters of a folder: its folders, by name.
///
/// # Errors
/// `Invalid` if it cannot be read, or a folder has no name of a cluster.
pub fn clusters_in(folder: &Path) -> Result<Vec<(ClusterName, PathBuf)>> {
    let mut clusters = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            clusters.push((ClusterName::parse(name).map_err(Error::invalid)?, path));
        }
    }
    Ok(clusters)
}

/// The objects of all manifests below a folder.
///
/// # Errors
/// `Invalid` with the file that cannot be read. A folder that is read in part would make workloads look vanished.
pub fn read_folder(folder: &Path) -> Result<Vec<Value>> {
    let mut objects = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if is_manifest(&path) {
                objects.extend(read_file(&path)?);
            }
        }
    }
    Ok(objects)
}

fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

fn read_file(path: &Path) -> Result<Vec<Value>> {
    let origin = path.display().to_string();
    let wrong = |why: String| Error::invalid(format!("{origin}: {why}"));
    let length = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if length > FILE_BYTES_MAX {
        return Err(wrong(format!("{length} bytes are more than a manifest may have")));
    }
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is no UTF-8 text".to_owned()))?;
    parse_manifests(&origin, &text).map_err(|error| Error::invalid(error.to_string()))
}

/// The entries of a folder, sorted, so that two scans see them in the same order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let wrong = |error: std::io::Error| Error::invalid(format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        paths.push(entry.map_err(wrong)?.path());
    }
    paths.sort();
    Ok(paths)
}
