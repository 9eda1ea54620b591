//! Checks on text: documents, comments, lengths and what must not be written down.

pub(super) mod changelog;
pub(super) mod decision_records;
pub(super) mod format_folders;
pub(super) mod length_limits;
pub(super) mod machine_paths;
pub(super) mod named_tests;
pub(super) mod opening_doc;
pub(super) mod unfinished_work;
