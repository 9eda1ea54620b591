//! How the checks read the repository: the list of files, Rust text, functions, manifests, markdown.

mod declarations;
#[cfg(test)]
pub(crate) mod fixture;
mod manifest;
mod markdown;
mod rust_function;
mod rust_text;
mod tree;

pub(crate) use declarations::{function_heads, types};
pub(crate) use manifest::{Dependency, DependencyKind, Manifest, WorkspacePackage, packages};
pub(crate) use markdown::{Heading, code_spans, headings, is_fence};
pub(crate) use rust_function::{RustFunction, functions, test_lines, test_ranges};
pub(crate) use rust_text::{CharKind, RustText};
pub(crate) use tree::{Tree, workspace_root};
