//! A cluster by the interface of Kubernetes: lists in pages, and watches with bookmarks.

mod api;
mod follow;
mod resource;
mod settings;
mod watch;

pub use api::KubernetesApi;
pub use settings::KubernetesSettings;
