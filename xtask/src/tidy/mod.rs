//! The checks that keep the tree readable: one file each, all of them ordinary tests of this package.

mod architecture_map;
mod changelog;
mod checks;
mod decision_records;
mod dependency_table;
mod folder_shape;
mod format_folders;
mod glossary_words;
mod length_limits;
mod machine_paths;
mod module_files;
mod name_ban;
mod opening_doc;
mod test_binaries;
mod unfinished_work;

pub(crate) use checks::{check_all, measured};
