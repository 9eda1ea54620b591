//! Checks on structure: crates, modules, folders and test binaries.

pub(super) mod architecture_map;
pub(super) mod dependency_table;
pub(super) mod folder_shape;
pub(super) mod module_files;
pub(super) mod module_imports;
pub(super) mod test_binaries;
