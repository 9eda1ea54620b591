//! What can be wrong with files that are to be imported. All of it is found before anything is created.

use std::fmt;

use serde::Serialize;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportMistake {
    /// Its kind.
    pub code: ImportMistakeKind,
    /// The file with the mistake.
    pub file: String,
    /// What is wrong, and what is expected.
    pub message: String,
}

/// The kinds of mistakes. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ImportMistakeKind {
    /// The file is no zip.
    NotAnArchive,
    /// A path leads out of the folder, or is absolute.
    PathOutside,
    /// The archive has more files than allowed.
    TooManyFiles,
    /// A file is larger than allowed.
    FileTooLarge,
    /// All files together are larger than allowed, or grow suspiciously when they are unpacked.
    ArchiveTooLarge,
    /// Two files have the same path.
    DuplicateFile,
    /// A file is neither `world.json` nor `entities/*.json`.
    UnknownFile,
    /// There is no `world.json`.
    WorldFileMissing,
    /// `world.json` is not what it should be.
    WorldFileInvalid,
    /// The file of an entity is not what it should be.
    EntityFileInvalid,
    /// A local id has other signs than letters, digits, `-`, `_` and `.`.
    LocalIdInvalid,
    /// Two entities have the same local id.
    DuplicateLocalId,
    /// There is no entity with the local id of the parent.
    DanglingParent,
    /// An entity is nested in itself.
    ParentCycle,
    /// An entity is nested too deeply.
    TooDeep,
    /// There are more entities than a world may have.
    TooManyEntities,
    /// There is no such type of entity.
    UnknownType,
    /// An entity may not be nested in its parent.
    InvalidParent,
    /// There is no such property schema.
    UnknownSchema,
    /// A field is not valid.
    InvalidField,
}

impl ImportMistake {
    pub(super) fn new(
        code: ImportMistakeKind,
        file: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { code, file: file.into(), message: message.into() }
    }
}

impl fmt::Display for ImportMistakeKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_value(self).unwrap_or_default();
        formatter.write_str(text.as_str().unwrap_or_default())
    }
}

impl fmt::Display for ImportMistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}: {}", self.file, self.code, self.message)
    }
}
