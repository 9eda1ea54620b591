//! A folder of sealed files: one folder for each path, one file for each version.
//!
//! A version is written to a file of another name and linked to its own name, which the file system allows once. So two
//! processes cannot write the same version, and a crash leaves no half of one.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::SecretVersion;
use crate::envelope::{EnvelopeKeys, SealedText};
use crate::platform::{PlatformError, PlatformFailure};
use crate::secret::SecretData;

use super::traits::{ExpectedVersion, SecretTarget, TargetSecret};

const EXTENSION: &str = "sealed";

/// A folder of sealed files.
#[derive(Clone, Debug)]
pub struct DirectoryTarget {
    folder: PathBuf,
    keys: Arc<EnvelopeKeys>,
}

type PlatformResult<T> = Result<T, PlatformError>;

impl DirectoryTarget {
    /// In this folder, which is created with the first secret.
    #[must_use]
    pub fn open(folder: &Path, keys: EnvelopeKeys) -> Self {
        Self { folder: folder.to_owned(), keys: Arc::new(keys) }
    }

    /// The folder of a path. Only letters, digits, `-` and `_` stay as they are, so no part can leave the folder or
    /// look like a file of a version.
    fn folder_of(&self, path: &str) -> PlatformResult<PathBuf> {
        let mut folder = self.folder.clone();
        for part in path.split('/') {
            if part.is_empty() {
                let why = "an empty part of a path".to_owned();
                return Err(PlatformError::new(PlatformFailure::Garbage { why }, path));
            }
            let mut name = String::with_capacity(part.len());
            for byte in part.bytes() {
                if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
                    name.push(char::from(byte));
                } else {
                    name.push_str(&format!("%{byte:02x}"));
                }
            }
            folder.push(name);
        }
        Ok(folder)
    }

    fn newest(folder: &Path, path: &str) -> PlatformResult<Option<u64>> {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&error, path)),
        };
        let mut newest = None;
        for entry in entries {
            let file = entry.map_err(|error| failed(&error, path))?.path();
            let is_version = file.extension().is_some_and(|extension| extension == EXTENSION);
            let number = file.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
            if is_version {
                newest = newest.max(number);
            }
        }
        Ok(newest)
    }

    fn read_newest(&self, path: &str) -> PlatformResult<Option<TargetSecret>> {
        let folder = self.folder_of(path)?;
        let Some(number) = Self::newest(&folder, path)? else { return Ok(None) };
        let file = folder.join(format!("{number}.{EXTENSION}"));
        let text = std::fs::read(file).map_err(|error| failed(&error, path))?;
        let garbage = |why: String| PlatformError::new(PlatformFailure::Garbage { why }, path);
        let sealed: SealedText =
            serde_json::from_slice(&text).map_err(|_| garbage("no sealed file".to_owned()))?;
        let context = format!("{path}#{number}");
        let opened =
            self.keys.open(&context, &sealed).map_err(|error| garbage(error.to_string()))?;
        let data = SecretData::parse(&opened).map_err(garbage)?;
        Ok(Some(TargetSecret { version: number.into(), data }))
    }

    fn write_version(&self, path: &str, text: &[u8], before: u64) -> PlatformResult<SecretVersion> {
        let folder = self.folder_of(path)?;
        let fail = |error: std::io::Error| failed(&error, path);
        if Self::newest(&folder, path)?.unwrap_or(0) != before {
            return Err(PlatformError::new(PlatformFailure::VersionConflict, path));
        }
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let number = before + 1;
        let sealed = self.keys.seal(&format!("{path}#{number}"), text);
        let sealed = sealed.map_err(|error| {
            PlatformError::new(PlatformFailure::Unreachable { why: error.to_string() }, path)
        })?;
        let json = serde_json::to_vec(&sealed).unwrap_or_default();
        // The name is that of the sealed text, so two processes never write to the same file.
        let unique: String = sealed.data_key.chars().filter(char::is_ascii_alphanumeric).collect();
        let draft = folder.join(format!("{unique}.draft"));
        let mut file = std::fs::File::create_new(&draft).map_err(fail)?;
        let written = file.write_all(&json).and_then(|()| file.sync_all());
        let linked = written.and_then(|()| {
            std::fs::hard_link(&draft, folder.join(format!("{number}.{EXTENSION}")))
        });
        let _ = std::fs::remove_file(&draft);
        match linked {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(PlatformError::new(PlatformFailure::VersionConflict, path));
            }
            Err(error) => return Err(fail(error)),
        }
        // Without this the name may be lost in a power failure although the file is not.
        std::fs::File::open(&folder).and_then(|folder| folder.sync_all()).map_err(fail)?;
        Ok(number.into())
    }
}

fn failed(error: &std::io::Error, path: &str) -> PlatformError {
    PlatformError::new(PlatformFailure::Unreachable { why: error.to_string() }, path)
}

async fn blocking<T: Send + 'static>(
    path: &str,
    work: impl FnOnce() -> PlatformResult<T> + Send + 'static,
) -> PlatformResult<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| {
        let why = "the work on its files was aborted".to_owned();
        Err(PlatformError::new(PlatformFailure::Unreachable { why }, path))
    })
}

#[async_trait]
impl SecretTarget for DirectoryTarget {
    fn numbers_versions(&self) -> bool {
        true
    }

    async fn read(&self, path: &str) -> PlatformResult<Option<TargetSecret>> {
        let (target, owned) = (self.clone(), path.to_owned());
        blocking(path, move || target.read_newest(&owned)).await
    }

    async fn write(
        &self,
        path: &str,
        data: &SecretData,
        expected: &ExpectedVersion,
    ) -> PlatformResult<SecretVersion> {
        let before = match expected {
            ExpectedVersion::Absent => 0,
            ExpectedVersion::Version(SecretVersion::Number(number)) => *number,
            ExpectedVersion::Version(SecretVersion::Text(_)) => {
                return Err(PlatformError::new(PlatformFailure::VersionConflict, path));
            }
        };
        let (target, owned) = (self.clone(), path.to_owned());
        let text = data.to_json_within("", "");
        blocking(path, move || target.write_version(&owned, &text, before)).await
    }
}
