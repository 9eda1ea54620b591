//! How the checks read the repository: the list of files, Rust text, functions, manifests, markdown.

mod function;
#[cfg(test)]
pub(crate) mod made_up;
mod manifest;
mod markdown;
mod rust_text;
mod tree;

pub(crate) use function::{Function, functions, test_lines};
pub(crate) use manifest::{Dependency, DependencyKind, Manifest, Package, packages};
pub(crate) use markdown::{Heading, code_spans, headings, is_fence};
pub(crate) use rust_text::{CharKind, RustText};
pub(crate) use tree::{Tree, our_root};
