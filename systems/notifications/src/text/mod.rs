//! What users read: templates in several languages, plural forms, sanitized foreign text, and deep links.

mod deeplink;
mod plural;
mod sanitize;
mod template;

pub(crate) use deeplink::deeplink;
pub(crate) use sanitize::{SNIPPET_CHARS_MAX, sanitize};
pub(crate) use template::{RenderedText, TemplateInput, Templates};
